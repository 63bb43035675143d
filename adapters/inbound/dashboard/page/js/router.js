// Places of the page: paths under /dashboard, in the browser's history.

import { html } from './lib.js';
import { dialog, dismiss } from './memory.js';
import { signal } from './signal.js';

export const BASE = '/dashboard';

function here() {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';
  return { path, query: new URLSearchParams(location.search) };
}

export const place = signal(here());

// Where in our part of the history we are: steps are counted, and each keeps its number.
let at = history.state?.step ?? 0;
history.replaceState({ step: at }, '');

// With a dialog open, "back" is about the dialog: the page under it stays where it is.
addEventListener('popstate', ({ state }) => {
  if (state?.step === at) return; // we came back, as asked below
  if (dialog.get() && state) {
    history.go(at - state.step);
    dismiss();
    return;
  }
  if (!state) history.replaceState({ step: at + 1 }, ''); // a fragment was followed
  at = history.state.step;
  place.set(here());
});

export const address = (to) => BASE + (to === '/' ? '' : to);

export function go(to) {
  history.pushState({ step: ++at }, '', address(to));
  place.set(here());
  scrollTo(0, 0);
}

// A value of the address, if it is one of these.
export const oneOf = (options, given) => (options.includes(given) ? given : '');

// Keeps filters in the address, without a step in the history.
export function setQuery(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  const text = query.toString();
  history.replaceState(history.state, '', location.pathname + (text && `?${text}`));
}

// `/keys/:id` against `/keys/42`: `{ id: '42' }`, or null.
export function match(pattern, path) {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const values = {};
  for (const [i, part] of wanted.entries()) {
    if (part.startsWith(':')) values[part.slice(1)] = decodeSafely(given[i]);
    else if (part !== given[i]) return null;
  }
  return values;
}

function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function Link({ to, children, ...rest }) {
  const follow = (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return html`<a href=${address(to)} onClick=${follow} ...${rest}>${children}</a>`;
}
