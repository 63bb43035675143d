// A new key's secret, shown this once.

import { html, useEffect, useState } from '../lib.js';
import { curlLine } from '../curl.js';
import { t } from '../i18n.js';
import { askBefore, close } from '../memory.js';
import { go } from '../router.js';
import { CopyButton } from '../components/copy-button.js';
import { Dialog } from '../components/dialog.js';
import { Notice } from '../components/feedback.js';

const focus = (button) => button?.focus();

export function Reveal({ title, created, secret, note }) {
  const [copied, setCopied] = useState(false);
  const [asking, setAsking] = useState(false);
  const test = created.environment === 'TEST';
  const line = curlLine(secret);
  const done = () => (copied ? close() : setAsking(true));

  const tryIt = () => {
    if (!copied) {
      setAsking(true);
      return;
    }
    close();
    go('/try');
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
    <${Dialog} title=${title} onClose=${done}>
      <div class="reveal" onCopy=${() => setCopied(true)}>
        <${Notice} tone="warn"><p><strong>${t('reveal.once')}</strong> ${t('reveal.once_more')}</p></${Notice}>
        ${note && html`<p>${note}</p>`}
        <h3>${t('reveal.key', { name: created.name })}</h3>
        <div class="secret-row">
          <code class="secret" tabindex="0" data-testid="secret">${secret}</code>
          <${CopyButton} primary text=${secret} label=${t('reveal.copy')} onCopied=${() => setCopied(true)} testid="copy-secret" />
        </div>
        <h3>${t('reveal.curl')}</h3>
        <p class="muted small">${t(test ? 'reveal.curl_test' : 'reveal.curl_live')}</p>
        <pre class="curl" tabindex="0" data-testid="curl">${line}</pre>
        <div class="row">
          <${CopyButton} text=${line} label=${t('reveal.copy_curl')} onCopied=${() => setCopied(true)} />
          ${test && html`<button type="button" onClick=${tryIt}>${t('reveal.try')}</button>`}
        </div>
      </div>
      ${asking && html`
        <div class="notice bad confirm" role="alertdialog" aria-label=${t('reveal.not_copied')}>
          <div>
            <p><strong>${t('reveal.not_copied')}</strong> ${t('reveal.not_copied_more')}</p>
            <div class="row">
              <button type="button" class="primary" ref=${focus} onClick=${() => setAsking(false)}>${t('reveal.stay')}</button>
              <button type="button" onClick=${close} data-testid="close-anyway">${t('reveal.leave')}</button>
            </div>
          </div>
        </div>`}
      ${!asking && html`
        <footer class="dialog-foot">
          <button type="button" class=${copied ? 'primary' : ''} onClick=${done} data-testid="close-reveal">${t('reveal.done')}</button>
        </footer>`}
    </${Dialog}>`;
}
