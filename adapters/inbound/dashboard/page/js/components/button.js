// Buttons that don't lose the focus, or pass it on.

import { html, useLayoutEffect, useRef } from '../lib.js';

// While `blocked` it does nothing and says so, but keeps the focus, which `disabled` would take from it.
export function Button({ blocked, onClick, element, children, ...rest }) {
  const press = (event) => {
    if (blocked) event.preventDefault();
    else onClick?.(event);
  };
  return html`<button type="button" ...${rest} ref=${element} aria-disabled=${blocked ? 'true' : undefined} onClick=${press}>${children}</button>`;
}

// A button that goes with a state. If it has the focus then, the page's heading gets it.
export function StateButton({ children, ...rest }) {
  const own = useRef(null);
  useLayoutEffect(() => () => {
    if (document.activeElement === own.current) document.querySelector('h1')?.focus({ preventScroll: true });
  }, []);
  return html`<${Button} element=${own} ...${rest}>${children}</${Button}>`;
}
