// What became of the lookup of a receipt's payment: the bank's proof and whether it says the same, or why there is none.

import { html, useEffect, useRef } from '../lib.js';
import { money } from '../format.js';
import { t, tn } from '../i18n.js';
import { Link } from '../router.js';
import { bringIntoSight } from '../sight.js';
import { useLookup } from '../use-lookup.js';
import { Candidates } from './candidates.js';
import { DeliveredProof } from './delivered-proof.js';
import { Failed, Notice, Skeleton } from './feedback.js';
import { ForeignText } from './foreign-text.js';
import { Icon } from './icon.js';
import { isOpen, LookupState } from './lookup-facts.js';
import { NextStep } from './next-step.js';

// Verdicts by the bank's last answer, where there is no proof.
const WITHOUT_PROOF = {
  NOT_IN_SPEI: 'not_found',
  PAYMENT_RETURNED: 'returned',
  PAYMENT_REJECTED: 'rejected',
  PAYMENT_CANCELED: 'rejected',
  PAYMENT_IN_PROCESS: 'pending',
  PROOF_NOT_ISSUED: 'pending',
  AMBIGUOUS: 'several',
};

const TONES = { same: 'ok', different: 'bad', distrusted: 'bad', not_found: 'bad', returned: 'bad', rejected: 'bad', pending: 'warn', several: 'warn', asking: 'info', unknown: 'warn' };

// The sandbox bank's key is published: anybody can make its seals.
const isSealed = ({ seal, notices }) => seal.verdict === 'VALID' && !notices.some(({ codigo }) => codigo === 'sello_del_banco_de_pruebas');

const contradicts = ({ same, decides }) => decides && !same;

function verdictOf({ state, reason, delivery }, fields) {
  if (delivery?.seal.verdict === 'INVALID') return 'distrusted';
  if (delivery) return fields.some(contradicts) ? 'different' : 'same';
  return WITHOUT_PROOF[reason] ?? (isOpen({ state }) ? 'asking' : 'unknown');
}

const LABELS = { nombre_beneficiario: 'receipt.beneficiary', emisor: 'lookup.issuer', receptor: 'lookup.receiver' };
const label = (name) => t(LABELS[name] ?? `columns.${name}`);

export function ReceiptVerdict({ id, receipt }) {
  const { found, error, reload } = useLookup(id, receipt);
  const box = useRef(null);
  const isShown = Boolean(found);
  useEffect(() => {
    if (isShown) bringIntoSight(box.current);
  }, [isShown]);
  if (!found) return error ? html`<${Failed} error=${error} retry=${reload} />` : html`<${Skeleton} lines=${4} />`;
  const { delivery } = found;
  const fields = (delivery?.comparison ?? []).map(({ field, ...told }) => ({ name: field.toLowerCase(), ...told }));
  const verdict = verdictOf(found, fields);
  const other = fields.filter(contradicts);
  return html`
    <section class="receipt-verdict" ref=${box} aria-label=${t('receipt.verdict')}>
      <div data-testid="receipt-verdict" data-verdict=${verdict}>
        <${Notice} tone=${verdict === 'same' && !isSealed(delivery) ? 'warn' : TONES[verdict]}>
          <p><strong>${other.length > 0 ? tn('receipt.differ', other.length, { fields: other.map(({ name }) => label(name)).join(', ') }) : t(`receipt.verdict.${verdict}`)}</strong></p>
          <p>${t(`receipt.verdict.${verdict}.more`)}</p>
          ${fields.some(({ same, decides }) => !same && !decides) && html`<p data-testid="receipt-other-name">${t('receipt.other_name')}</p>`}
        </${Notice}>
      </div>
      ${fields.length > 0 && html`<${Comparison} of=${fields} />`}
      ${found.candidates.length > 0 && html`<${Candidates} of=${found} />`}
      ${delivery ? html`<${DeliveredProof} of=${delivery} />` : html`<${NextStep} of=${found} tone="info" />`}
      <p class="row">
        ${!delivery && html`<${LookupState} of=${found} />`}
        <${Link} to=${`/lookups/${id}`} data-testid="receipt-lookup">${t(isOpen(found) ? 'receipt.lookup_open' : 'receipt.lookup')}</${Link}>
      </p>
    </section>`;
}

const look = (field) => (contradicts(field) ? 'different' : field.same ? 'same' : 'unlike');

const Value = ({ of: { name }, text }) => (name === 'monto' ? money(text) : html`<${ForeignText} text=${text} />`);

const Compared = ({ of: field }) => html`
  <tr class=${look(field)} data-field=${field.name} data-same=${String(field.same)}>
    <th scope="row"><${Icon} name=${field.same ? 'check' : 'warning'} /><span class="visually-hidden">${t(field.same ? 'receipt.same' : 'receipt.other')} </span>${label(field.name)}</th>
    <td class="break"><${Value} of=${field} text=${field.read} /></td>
    <td class="break"><${Value} of=${field} text=${field.proved} /></td>
  </tr>`;

const Comparison = ({ of: fields }) => html`
  <table class="comparison" data-testid="receipt-comparison">
    <thead><tr><th scope="col">${t('receipt.compared')}</th><th scope="col">${t('receipt.in_receipt')}</th><th scope="col">${t('receipt.in_proof')}</th></tr></thead>
    <tbody>${fields.map((field) => html`<${Compared} key=${field.name} of=${field} />`)}</tbody>
  </table>`;
