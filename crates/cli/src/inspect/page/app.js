// The calls of a recording as they come, and one of them in detail.
import { Comparison } from './compare.js';
import { showLists } from './lists.js';
import { Rows } from './rows.js';

const ROW = 44;
const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const byId = (id) => document.getElementById(id);

/** All calls, the first one first. */
const calls = [];
/** Those that the filter lets through, as they are shown: the latest first. */
let shown = [];
let chosen;
const sums = { before: 0, after: 0 };

const comparison = new Comparison();
const list = byId('rows');
const rows = new Rows(list, ROW, (row, at) => draw(row, shown[at], at));

function draw(row, call, at) {
  const { server, tool, time, before, after, ok } = call;
  const saved = before === 0 ? 0 : Math.round((1 - after / before) * 100);
  row.className = 'row';
  row.role = 'option';
  row.id = `call-${call.index}`;
  row.ariaSelected = String(call === chosen);
  row.ariaSetSize = String(shown.length);
  row.ariaPosInSet = String(at + 1);
  row.dataset.at = at;
  const name = [server, tool].filter(Boolean).join('.');
  const when = time === '' ? '' : new Date(time).toLocaleTimeString();
  row.replaceChildren(
    span('', span('name', name || 'A result'), span(ok ? 'when' : 'when failed', `${when}${ok ? '' : ' failed'}`)),
    span('number', compact.format(before)),
    span('number', saved > 0 ? `${saved} %` : '–'),
  );
}

function span(className, ...children) {
  const made = document.createElement('span');
  made.className = className;
  made.append(...children);
  return made;
}

/** Shows a call in detail. */
function choose(at) {
  const call = shown[at];
  if (call === undefined) return;
  rows.reveal(at);
  if (call === chosen) return;
  chosen = call;
  rows.show(true);
  list.setAttribute('aria-activedescendant', `call-${call.index}`);
  void comparison.open(call);
}

list.addEventListener('click', ({ target }) => {
  const row = target.closest('[role=option]');
  if (row !== null) choose(Number(row.dataset.at));
});
list.addEventListener('keydown', (event) => {
  const at = shown.indexOf(chosen);
  const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: shown.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  choose(Math.min(shown.length - 1, Math.max(0, to)));
});

function passes(call) {
  const words = byId('filter').value.trim().toLowerCase();
  return (!byId('cut-only').checked || call.after < call.before) && `${call.server}.${call.tool}`.toLowerCase().includes(words);
}

function filter() {
  shown = calls.filter(passes).reverse();
  rows.reset(shown.length);
  if (shown.includes(chosen)) list.setAttribute('aria-activedescendant', `call-${chosen.index}`);
  else list.removeAttribute('aria-activedescendant');
}

byId('filter').addEventListener('input', filter);
byId('cut-only').addEventListener('change', filter);

/** Takes calls that have come. */
function take(more) {
  const isFirst = calls.length === 0;
  const above = list.scrollTop;
  const old = shown.length;
  for (const call of more) {
    sums.before += call.before;
    sums.after += call.after;
    calls.push(Object.assign(call, { index: calls.length, saved: sums.before - sums.after }));
  }
  filter();
  // Who has scrolled down keeps seeing what was there.
  if (above > 0) list.scrollTop = above + (shown.length - old) * ROW;
  byId('count').textContent = number.format(calls.length);
  byId('tokens').textContent = `${compact.format(sums.before)} → ${compact.format(sums.after)}`;
  byId('saved').textContent = sums.before === 0 ? '0' : `${Math.round((1 - sums.after / sums.before) * 100)} %`;
  drawChart();
  if (isFirst) choose(0);
}

/** Tokens saved in all, over time; over the calls where no time is known. */
function drawChart() {
  const [width, height] = [240, 40];
  const step = Math.max(1, Math.floor(calls.length / width));
  const points = calls.filter((_, at) => at % step === 0 || at === calls.length - 1);
  const whens = points.map(({ time, index }) => Date.parse(time) || index);
  const [start, end] = [whens[0], whens.at(-1)];
  const top = Math.max(1, calls.at(-1)?.saved ?? 0);
  const path = points.map(({ saved }, at) => {
    const x = end > start ? ((whens[at] - start) / (end - start)) * width : width;
    return `${x.toFixed(1)},${(height - 2 - (Math.max(0, saved) / top) * (height - 4)).toFixed(1)}`;
  });
  byId('line').setAttribute('d', `M0,${height - 2} L${path.join(' L')}`);
  byId('area').setAttribute('d', `M0,${height} L0,${height - 2} L${path.join(' L')} L${width},${height} Z`);
  byId('chart').setAttribute('aria-label', `Tokens saved over time: ${number.format(calls.at(-1)?.saved ?? 0)} by now`);
}

function view(name) {
  for (const other of ['calls', 'lists']) {
    byId(other).hidden = other !== name;
    byId(`show-${other}`).setAttribute('aria-pressed', String(other === name));
  }
  if (name === 'lists') void showLists(byId('lists'));
}

byId('show-calls').addEventListener('click', () => view('calls'));
byId('show-lists').addEventListener('click', () => view('lists'));

const source = new EventSource('events');
const state = byId('state');
source.addEventListener('open', () => (state.textContent = ''));
source.addEventListener('error', () => (state.textContent = 'Not connected: snugfit inspect has ended'));
source.addEventListener('about', ({ data }) => {
  byId('title').textContent = JSON.parse(data);
  document.title = `${JSON.parse(data)} · snugfit inspect`;
});
source.addEventListener('later', ({ data }) => {
  state.textContent = `${number.format(Number(data))} later calls are not shown: start again to see them`;
});
source.addEventListener('message', ({ data }) => take(JSON.parse(data)));
