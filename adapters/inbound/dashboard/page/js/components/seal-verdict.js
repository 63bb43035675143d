// The seal of a proof: its verdict, the reason for it, and the fields that it covers.

import { html, useId } from '../lib.js';
import { t } from '../i18n.js';
import { Badge } from './facts.js';
import { Icon } from './icon.js';

const LOOKS = {
  valid: { tone: 'ok', icon: 'check' },
  invalid: { tone: 'bad', icon: 'warning' },
  not_checked: { tone: 'warn', icon: 'info' },
};

// One of the three results, of a seal or of a whole file.
export const VerdictBadge = ({ verdict, text, testid }) => html`
  <${Badge} tone=${`${LOOKS[verdict].tone} marked`}>
    <span data-testid=${testid} data-verdict=${verdict}><${Icon} name=${LOOKS[verdict].icon} />${text}</span>
  </${Badge}>`;

// The tone of a notice about a result.
export const toneOf = (verdict) => LOOKS[verdict].tone;

// Fields of a proof that no seal ever covers, as far as people read them.
const NEVER_SEALED = ['clave_rastreo'];

export const fieldName = (field) => t(`proof.field.${field}`);

export const FieldNames = ({ fields }) => html`
  <ul class="names">${fields.map((field) => html`<li key=${field}>${fieldName(field)}</li>`)}</ul>`;

// Not checked for a reason, which is said instead; or valid beside data that aren't the sealed ones; or somebody
// else's verdict.
function explanation({ estado, motivo, certificado, fuente }, altered) {
  if (motivo) return t(`proof.seal.reason.${motivo}`, { certificate: certificado ?? '—' });
  if (altered && estado === 'valid') return t('proof.seal.more.altered');
  return fuente ? t('proof.seal.more.banxico') : t(`proof.seal.more.${estado}`);
}

export function SealVerdict({ seal, covered, altered }) {
  const title = useId();
  return html`
    <div class="seal" role="group" aria-labelledby=${title} data-testid="seal">
      <p class="row"><strong id=${title}>${t('proof.seal')}</strong>
        <${VerdictBadge} verdict=${seal.estado} text=${t(`proof.seal.${seal.estado}`)} testid="seal-badge" /></p>
      <p class="small">${explanation(seal, altered)}</p>
      <details class="small">
        <summary>${t('proof.seal.covers')}</summary>
        <div class="seal-details">
          <p>${t(seal.estado === 'valid' ? 'proof.seal.covered' : 'proof.seal.would_cover')}</p>
          ${covered.length > 0 ? html`<${FieldNames} fields=${covered} />` : html`<p>${t('proof.seal.covers_none')}</p>`}
          <p>${t('proof.seal.never')}</p>
          <${FieldNames} fields=${NEVER_SEALED} />
          <dl class="seal-facts">
            ${seal.certificado && html`<div><dt>${t('proof.seal.certificate')}</dt><dd><code>${seal.certificado}</code></dd></div>`}
            ${seal.algoritmo && html`<div><dt>${t('proof.seal.algorithm')}</dt><dd><code>RSA, ${seal.algoritmo}</code></dd></div>`}
            ${seal.huella && html`<div><dt>${t('proof.seal.digest')}</dt><dd><code>${seal.huella}</code></dd></div>`}
          </dl>
        </div>
      </details>
    </div>`;
}
