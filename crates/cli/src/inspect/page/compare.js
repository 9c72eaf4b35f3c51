// An original and its preview side by side, and the budget that is tried.
import { Rows } from './rows.js';

const LINE = 20;
/** What is shown of a line: more would take longer to lay out than anybody reads. */
const MOST_CHARS = 2000;
/** The least budget that holds a preview and its notice. */
const LEAST = 120;
const STEPS = 1000;

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');

/** The text of an answer, all of it; where nobody answers, one that says so. */
export async function ask(what) {
  try {
    const answer = await fetch(what);
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return { ok: false, text: 'snugfit inspect does not answer: is it still running?' };
  }
}

export class Comparison {
  constructor() {
    this.lines = { original: [], preview: [] };
    this.marks = { original: [], preview: [] };
    this.panes = {
      original: new Rows(byId('original'), LINE, (row, at) => this.draw(row, at, 'original', 'cut', '−')),
      preview: new Rows(byId('preview'), LINE, (row, at) => this.draw(row, at, 'preview', 'new', '+')),
    };
    this.wanted = undefined;
    this.isBusy = false;
    byId('slider').addEventListener('input', () => this.want(this.ofSlider()));
    byId('budget').addEventListener(
      'input',
      ({ target }) => target.value !== '' && this.want(Math.max(LEAST, Math.round(target.value))),
    );
    byId('as-sent').addEventListener('click', () => this.want(undefined));
    byId('controls').addEventListener('submit', (event) => event.preventDefault());
    byId('next').addEventListener('click', () => this.goToCut(1));
    byId('previous').addEventListener('click', () => this.goToCut(-1));
  }

  /** Shows a call. */
  async open(call) {
    this.call = call;
    byId('detail-title').textContent = [call.server, call.tool].filter(Boolean).join(' · ') || 'A result';
    const when = call.time === '' ? [] : [new Date(call.time).toLocaleString()];
    const took = call.ms > 0 ? [`${number.format(Math.round(call.ms))} ms`] : [];
    const facts = [...when, ...took, ...(call.ok ? [] : ['failed'])];
    byId('facts').textContent = facts.join(' · ');
    byId('as-sent').textContent = call.time === '' ? 'As configured' : 'As sent';
    const answer = await ask(`calls/${call.index}/original`);
    if (this.call !== call) return;
    byId('controls').hidden = byId('panes').hidden = !answer.ok;
    if (!answer.ok) {
      byId('facts').textContent = [...facts, answer.text.trim()].join(' · ');
      return;
    }
    this.lines.original = answer.text.split('\n');
    byId('facts').textContent = [...facts, `${number.format(this.lines.original.length)} lines`].join(' · ');
    this.most = Math.max(LEAST + 1, call.before);
    for (const pane of ['original', 'preview']) {
      byId(pane).scrollTo(0, 0);
      this.marks[pane] = [];
    }
    this.lines.preview = [];
    this.panes.original.reset(this.lines.original.length);
    this.want(undefined);
  }

  /** Even steps of the slider are even shares: most previews are small. */
  ofSlider() {
    return Math.round(LEAST * (this.most / LEAST) ** (Number(byId('slider').value) / STEPS));
  }

  /** Asks for a preview. While one is made only the latest wish is kept. */
  want(tokens) {
    this.wanted = { call: this.call, tokens };
    if (tokens !== undefined) this.showBudget(tokens);
    if (!this.isBusy) void this.work();
  }

  async work() {
    this.isBusy = true;
    while (this.wanted !== undefined) {
      const { call, tokens } = this.wanted;
      this.wanted = undefined;
      const answer = await ask(`calls/${call.index}/preview${tokens === undefined ? '' : `?tokens=${tokens}`}`);
      // What was answered for another call is of no use.
      if (call !== this.call) continue;
      try {
        if (!answer.ok) throw new Error(answer.text.trim());
        this.show(JSON.parse(answer.text), tokens);
      } catch ({ message }) {
        byId('outcome').textContent = `The preview could not be made: ${message}`;
      }
    }
    this.isBusy = false;
  }

  show({ text, before, after, kept, own }, tokens) {
    this.lines.preview = text.split('\n');
    this.marks.original = marked(this.lines.original.length, kept);
    this.marks.preview = marked(this.lines.preview.length, own);
    this.cuts = starts(this.marks.original);
    this.panes.original.reset(this.lines.original.length);
    this.panes.preview.reset(this.lines.preview.length);
    // Whoever has moved the slider since is not moved back.
    if (tokens === undefined && this.wanted === undefined) this.showBudget(after);
    const share = before === 0 ? 0 : Math.round((1 - after / before) * 100);
    byId('outcome').textContent =
      before === after
        ? `${number.format(before)} tokens, nothing is cut`
        : `${number.format(before)} → ${number.format(after)} tokens, ${share} % saved`;
    byId('next').disabled = byId('previous').disabled = this.cuts.length === 0;
  }

  showBudget(tokens) {
    const [slider, budget] = [byId('slider'), byId('budget')];
    const at = (Math.log(Math.max(LEAST, tokens) / LEAST) / Math.log(this.most / LEAST)) * STEPS;
    if (document.activeElement !== slider) slider.value = Math.min(STEPS, at);
    slider.setAttribute('aria-valuetext', `${number.format(tokens)} tokens`);
    if (document.activeElement !== budget) budget.value = tokens;
  }

  draw(row, at, pane, kind, mark) {
    const line = this.lines[pane][at] ?? '';
    const isMarked = this.marks[pane][at] === 1;
    row.className = isMarked ? `row ${kind}` : 'row';
    row.dataset.mark = isMarked ? mark : ' ';
    const rest = line.length - MOST_CHARS;
    row.textContent = rest > 0 ? `${line.slice(0, MOST_CHARS)} … ${number.format(rest)} more characters` : line;
  }

  goToCut(step) {
    const { cuts = [] } = this;
    if (cuts.length === 0) return;
    const pane = this.panes.original;
    const middle = (pane.box.scrollTop * pane.scale + pane.box.clientHeight / 2) / LINE;
    const later = cuts.findIndex((at) => at > middle + 0.5);
    const end = later === -1 ? cuts.length : later;
    const here = cuts[end - 1] !== undefined && Math.abs(cuts[end - 1] - middle) <= 1.5 ? 1 : 0;
    const to = step > 0 ? end % cuts.length : (end - 1 - here + cuts.length) % cuts.length;
    pane.reveal(cuts[to], true);
  }
}

/** 1 for each line that is in none of the runs. */
function marked(count, runs) {
  const marks = new Uint8Array(count).fill(1);
  for (const [from, to] of runs) marks.fill(0, from, to);
  return marks;
}

/** Where runs of marked lines begin. */
function starts(marks) {
  const found = [];
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1 && marks[at - 1] !== 1) found.push(at);
  return found;
}
