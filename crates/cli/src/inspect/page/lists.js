// What each server lists, before and after.
import { ask } from './compare.js';

const number = new Intl.NumberFormat('en');

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const tokens = (tools) => Math.ceil(tools.reduce((sum, { bytes }) => sum + bytes, 0) / 3);

/** Shows the lists in `box`, as they are now. */
export async function showLists(box) {
  const answer = await ask('lists');
  const lists = answer.ok ? JSON.parse(answer.text) : [];
  const nothing = answer.ok ? 'No list of tools has been asked for yet.' : answer.text;
  box.replaceChildren(
    ...(lists.length === 0
      ? [element('p', { textContent: nothing })]
      : lists.map((list) => table(list))),
  );
}

function table({ server, before, after, missing }) {
  const sum = `${number.format(tokens(before))} → ${number.format(tokens(after))} tokens`;
  const title = server === '' ? `Shown to the client for all servers: ${number.format(tokens(after))} tokens` : `${server}: ${sum}`;
  const gone = missing === 0 ? '' : `; the file of ${number.format(missing)} more pages is gone`;
  const head = ['Tool', 'Tokens before', 'Tokens after'].map((text, at) =>
    element('th', { textContent: text, scope: 'col', className: at > 0 ? 'number' : '' }),
  );
  // A prefix of ours stands before the name that the server gave.
  const rest = [...after];
  const pairs = before.map((tool) => {
    const at = rest.findIndex(({ name }) => name === tool.name || name === `${server}__${tool.name}`);
    return [tool, at === -1 ? undefined : rest.splice(at, 1)[0]];
  });
  const rows = [...pairs, ...rest.map((tool) => [undefined, tool])].flatMap(([was, is]) => row(was, is));
  return element(
    'table',
    {},
    element('caption', { textContent: title + gone }),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  );
}

/** A row of figures, and one under it that opens to show both definitions. */
function row(was, is) {
  const count = (tool) =>
    element('td', { className: 'number', textContent: tool === undefined ? '–' : number.format(Math.ceil(tool.bytes / 3)) });
  const button = element('button', { type: 'button', textContent: (was ?? is).name, ariaExpanded: 'false' });
  const below = element('tr', { hidden: true });
  button.addEventListener('click', () => {
    // Most are never looked at.
    if (below.childElementCount === 0) below.append(element('td', { colSpan: 3 }, both(was, is)));
    below.hidden = !below.hidden;
    button.ariaExpanded = String(!below.hidden);
  });
  return [element('tr', {}, element('th', { scope: 'row' }, button), count(was), count(is)), below];
}

function both(was, is) {
  return element('div', { className: 'both' }, side('Before', was), side('After', is));
}

function side(title, tool) {
  if (tool === undefined) return element('div', { textContent: `${title}: not listed` });
  const text = element('pre', { textContent: tool.text, tabIndex: 0, role: 'region', ariaLabel: `${title}: ${tool.name}` });
  return element('div', { textContent: title }, text);
}
