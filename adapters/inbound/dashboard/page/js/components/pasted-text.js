// A text that is pasted, as a receipt from a chat.

import { html, useState } from '../lib.js';
import { t } from '../i18n.js';
import { Field } from './field.js';

export function PastedText({ onText }) {
  const [text, setText] = useState('');
  const send = () => {
    onText(text);
    setText('');
  };
  return html`
    <details class="more" data-testid="pasted">
      <summary>${t('receipt.paste')}</summary>
      <${Field} label=${t('receipt.text')} help=${t('receipt.text_help')}>
        ${(control) => html`
          <textarea rows="6" ...${control} value=${text} onInput=${({ target }) => setText(target.value)} data-testid="pasted-text"></textarea>`}
      </${Field}>
      <button type="button" disabled=${!text.trim()} onClick=${send} data-testid="pasted-read">${t('receipt.read')}</button>
    </details>`;
}
