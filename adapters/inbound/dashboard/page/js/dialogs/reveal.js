// A new key's secret, shown this once, with a line to try it.

import { html } from '../lib.js';
import { curlLine } from '../curl.js';
import { t } from '../i18n.js';
import { go } from '../router.js';
import { CopyButton } from '../components/copy-button.js';
import { SecretDialog } from './secret-dialog.js';

export function Reveal({ title, created, secret, note }) {
  const test = created.env === 'TEST';
  const line = curlLine(secret);
  const words = { more: t('reveal.once_more'), copy: t('reveal.copy'), notCopied: t('reveal.not_copied') };
  return html`
    <${SecretDialog} title=${title} heading=${t('reveal.key', { name: created.name })} secret=${secret} note=${note} words=${words}>
      ${({ setCopied, leave }) => html`
        <h3>${t('reveal.curl')}</h3>
        <p class="muted small">${t(test ? 'reveal.curl_test' : 'reveal.curl_live')}</p>
        <pre class="curl" tabindex="0" data-testid="curl">${line}</pre>
        <div class="row">
          <${CopyButton} text=${line} label=${t('reveal.copy_curl')} onCopied=${() => setCopied(true)} />
          ${test && html`<button type="button" onClick=${() => leave(() => go('/try'))}>${t('reveal.try')}</button>`}
        </div>`}
    </${SecretDialog}>`;
}
