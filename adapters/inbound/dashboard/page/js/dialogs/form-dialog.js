// A dialog with a form: errors above, buttons below, Enter submits. `keep` is the text of the button that
// changes nothing.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { close } from '../memory.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { Failed } from '../components/feedback.js';

export function FormDialog({ title, submit, tone = 'primary', testid, mutation, onSubmit, children, disabled, keep = t('action.cancel') }) {
  const send = (event) => {
    event.preventDefault();
    if (!mutation.busy && !disabled) onSubmit();
  };
  return html`
    <${Dialog} title=${title} onClose=${() => mutation.busy || close()}>
      <form onSubmit=${send} novalidate>
        ${mutation.error && html`<${Failed} error=${mutation.error} />`}
        ${children}
        <footer class="dialog-foot">
          <${Button} onClick=${close} blocked=${mutation.busy}>${keep}</${Button}>
          <${Button} type="submit" class=${tone} blocked=${mutation.busy || disabled} data-testid=${testid}>
            ${mutation.busy ? t('state.working') : submit}
          </${Button}>
        </footer>
      </form>
    </${Dialog}>`;
}
