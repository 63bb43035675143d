// A secret that is shown this once. Whoever closes it without a copy is asked first.

import { html, useEffect, useState } from '../lib.js';
import { t } from '../i18n.js';
import { askBefore, close } from '../memory.js';
import { CopyButton } from '../components/copy-button.js';
import { Dialog } from '../components/dialog.js';
import { Notice } from '../components/feedback.js';

const focus = (button) => button?.focus();

// `words`: more, copy, notCopied. `children({ setCopied, leave })` is what stands below the secret; `leave`
// closes and goes on, or asks.
export function SecretDialog({ title, heading, secret, note, words, children }) {
  const [copied, setCopied] = useState(false);
  const [asking, setAsking] = useState(false);
  const leave = (next) => {
    if (!copied) {
      setAsking(true);
      return;
    }
    close();
    next?.();
  };

  // Leaving the page loses the secret just as well, and so does the end of the session.
  useEffect(() => {
    if (copied) return undefined;
    const warn = (event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    const forget = askBefore(() => setAsking(true));
    return () => {
      removeEventListener('beforeunload', warn);
      forget();
    };
  }, [copied]);

  return html`
    <${Dialog} title=${title} onClose=${() => leave()}>
      <div class="reveal" onCopy=${() => setCopied(true)}>
        <${Notice} tone="warn"><p><strong>${t('reveal.once')}</strong> ${words.more}</p></${Notice}>
        ${note && html`<p>${note}</p>`}
        <h3>${heading}</h3>
        <div class="secret-row">
          <code class="secret" tabindex="0" data-testid="secret">${secret}</code>
          <${CopyButton} primary text=${secret} label=${words.copy} onCopied=${() => setCopied(true)} testid="copy-secret" />
        </div>
        ${children?.({ setCopied, leave })}
      </div>
      ${asking && html`
        <div class="notice bad confirm" role="alertdialog" aria-label=${words.notCopied}>
          <div>
            <p><strong>${words.notCopied}</strong> ${t('reveal.not_copied_more')}</p>
            <div class="row">
              <button type="button" class="primary" ref=${focus} onClick=${() => setAsking(false)}>${t('reveal.stay')}</button>
              <button type="button" onClick=${close} data-testid="close-anyway">${t('reveal.leave')}</button>
            </div>
          </div>
        </div>`}
      ${!asking && html`
        <footer class="dialog-foot">
          <button type="button" class=${copied ? 'primary' : ''} onClick=${() => leave()} data-testid="close-reveal">${t('reveal.done')}</button>
        </footer>`}
    </${Dialog}>`;
}
