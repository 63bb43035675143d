// Places of the page: paths under /dashboard, in the browser's history.

import { html } from './lib.js';
import { signal } from './signal.js';

export const BASE = '/dashboard';

function here() {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, '') || '/';
  return { path, query: new URLSearchParams(location.search) };
}

export const place = signal(here());

addEventListener('popstate', () => place.set(here()));

export const address = (to) => BASE + (to === '/' ? '' : to);

export function go(to) {
  history.pushState(null, '', address(to));
  place.set(here());
  scrollTo(0, 0);
}

// Keeps filters in the address, without a step in the history.
export function setQuery(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text && `?${text}`));
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
