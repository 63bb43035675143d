// What the browser remembers between visits: the theme, the language, and the id of the key that was last chosen to be
// charged; nothing else.

const named = (name) => `cep.${name}`;

export function remembered(name) {
  try {
    return localStorage.getItem(named(name));
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(named(name), value);
  } catch {
    // Storage may be forbidden or full; the choice then lasts as long as the page.
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(named(name));
  } catch {
    // As above.
  }
}
