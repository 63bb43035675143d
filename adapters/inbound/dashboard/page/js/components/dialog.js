// A modal dialog: the browser's own, which keeps the focus inside and gives it back.

import { html, useId, useLayoutEffect, useRef } from '../lib.js';
import { t } from '../i18n.js';
import { Icon } from './icon.js';

// `onClose` is asked for every way out (button, Escape) and may decline by doing nothing.
export function Dialog({ title, onClose, children, testid }) {
  const element = useRef(null);
  const heading = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (opener?.isConnected) opener.focus();
      else document.querySelector('h1')?.focus();
    };
  }, []);

  const cancel = (event) => {
    event.preventDefault();
    onClose();
  };
  // A second Escape closes a dialog whatever its page says: this one opens again and asks.
  const closed = () => {
    const dialog = element.current;
    if (!dialog?.isConnected || dialog.open) return;
    dialog.showModal();
    onClose();
  };

  return html`
    <dialog ref=${element} aria-labelledby=${heading} onCancel=${cancel} onClose=${closed} data-testid=${testid}>
      <header class="dialog-head">
        <h2 id=${heading}>${title}</h2>
        <button type="button" class="quiet icon-only" aria-label=${t('action.close')} onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      ${children}
    </dialog>`;
}
