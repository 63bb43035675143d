// The frame of every view: its heading takes the focus, so that a reader hears where it is.

import { html, useEffect, useRef } from '../lib.js';
import { t } from '../i18n.js';

let first = true;

export function useTitle(title) {
  const whole = `${title} · ${t('app.name')}`;
  useEffect(() => {
    document.title = whole;
  }, [whole]);
}

export function Page({ title, lead, actions, children }) {
  const heading = useRef(null);
  useEffect(() => {
    if (!first) heading.current.focus({ preventScroll: true });
    first = false;
  }, []);
  useTitle(title);
  return html`
    <div class="page">
      <header class="page-head">
        <div>
          <h1 ref=${heading} tabindex="-1">${title}</h1>
          ${lead && html`<p class="lead muted">${lead}</p>`}
        </div>
        ${actions && html`<div class="row">${actions}</div>`}
      </header>
      ${children}
    </div>`;
}
