// A proof as people read it: the amount, the credit, both parties, the concept and the tracking key.

import { html, useId } from '../lib.js';
import { dateTime, money, utcDay, wallTime } from '../format.js';
import { t, tn } from '../i18n.js';
import { CopyButton } from './copy-button.js';
import { Badge } from './facts.js';
import { Notice } from './feedback.js';
import { ForeignText } from './foreign-text.js';
import { Icon } from './icon.js';

// A valid seal covers the fields.
const covers = ({ proof }, fields) =>
  proof.sello.estado === 'valid' && fields.every((field) => proof.campos_sellados.includes(field));

const Sealed = ({ of, fields }) => covers(of, fields) && html`
  <span class="sealed" title=${t('proof.sealed')}><${Icon} name="lock" /><span class="visually-hidden">${t('proof.sealed')}</span></span>`;

// A check found one of the fields contradicted.
const isContradicted = ({ contradicted }, fields) => fields.some((field) => contradicted.includes(field));

const Contradicted = ({ of, fields }) => isContradicted(of, fields) && html`
  <${Badge} tone="bad">${t('proof.contradicted')}</${Badge}>`;

// Text of a field that a proof may lack.
const Given = ({ text, look = 'break', testid }) => (text === null
  ? html`<span class="muted">${t('proof.not_given')}</span>` : html`<span class=${look} data-testid=${testid}><${ForeignText} text=${text} /></span>`);

const AMOUNT = ['monto'];
const CREDIT = ['fecha_abono', 'hora_abono'];
const OPERATION = ['fecha_operacion'];

// The amount, large, and the time of the credit. After 18:00 and on holidays the operation date is another day.
export function Payment({ proof, contradicted = [] }) {
  const { cep } = proof;
  const of = { proof, contradicted };
  const otherDay = cep.fecha_abono !== cep.fecha_operacion || isContradicted(of, OPERATION);
  return html`
    <div class="payment">
      <p class="row payment-amount">
        <strong class=${isContradicted(of, AMOUNT) ? 'number contradicted' : 'number'} data-testid="proof-amount">${money(cep.monto)}</strong>
        <${Sealed} of=${of} fields=${AMOUNT} />
        <${Contradicted} of=${of} fields=${AMOUNT} />
        <${CopyButton} bare text=${cep.monto} label=${t('proof.copy.amount')} testid="copy-amount" />
      </p>
      <p>
        ${t('proof.credited')} <time datetime=${`${cep.fecha_abono}T${cep.hora_abono}`}>${wallTime(cep.fecha_abono, cep.hora_abono)}</time>
        <span class="muted small"> ${t('proof.mexico_city')} </span><${Sealed} of=${of} fields=${CREDIT} />
        <${Contradicted} of=${of} fields=${CREDIT} />
      </p>
      ${otherDay && html`
        <p class="muted small">${t('proof.operation_date', { date: utcDay(`${cep.fecha_operacion}T00:00:00Z`) })} <${Sealed} of=${of} fields=${OPERATION} />
          <${Contradicted} of=${of} fields=${OPERATION} /></p>`}
    </div>`;
}

const Fact = ({ of, fields, label, children }) => html`
  <div class="fact">
    <dt>${label} <${Sealed} of=${of} fields=${fields} /></dt>
    <dd class=${isContradicted(of, fields) ? 'contradicted' : undefined}>${children}<${Contradicted} of=${of} fields=${fields} /></dd>
  </div>`;

// Kinds of account that have a name of their own.
const ACCOUNT_TYPES = [3, 10, 40];
const accountType = (type) => (ACCOUNT_TYPES.includes(type) ? t(`proof.account.${type}`) : t('proof.account'));

const MATCH_TONES = { exacta: 'ok', parcial: 'warn', ninguna: 'bad', no_disponible: 'neutral' };

// A comparison that the request asked for.
const Match = ({ of: what, result }) => result in MATCH_TONES && html`
  <span data-testid=${`match-${what}`} data-match=${result}>
    <${Badge} tone=${MATCH_TONES[result]}>${t(`proof.match.${what}.${result}`)}</${Badge}>
  </span>`;

// A proof has the code of the receiving bank alone.
const BANK_FIELDS = { emisor: ['emisor.nombre'], receptor: ['receptor.nombre', 'receptor.codigo'] };

function Party({ of, side, bankSide, matches }) {
  const id = useId();
  const { cep } = of.proof;
  const party = cep[side];
  const bank = cep[bankSide];
  return html`
    <div class="party" role="group" aria-labelledby=${id}>
      <p class="party-title" id=${id}>${t(`proof.${side}`)}</p>
      <dl>
        <${Fact} of=${of} fields=${[`${side}.nombre`]} label=${t('proof.name')}>
          <${Given} text=${party.nombre} look="break name" testid=${`proof-${side}-nombre`} />
          ${matches && html`<${Match} of="nombre" result=${matches.nombre} />`}
        </${Fact}>
        <${Fact} of=${of} fields=${[`${side}.rfc_curp`]} label=${t('proof.rfc_curp')}>
          <${Given} text=${party.rfc_curp} />
          ${matches && html`<${Match} of="rfc" result=${matches.rfc} />`}
        </${Fact}>
        <${Fact} of=${of} fields=${BANK_FIELDS[bankSide]} label=${t('proof.bank')}>
          <${Given} text=${bank.nombre} />${bank.codigo && html`<span class="muted small">${bank.codigo}</span>`}
        </${Fact}>
        <${Fact} of=${of} fields=${[`${side}.cuenta`, `${side}.tipo_cuenta`]} label=${accountType(party.tipo_cuenta)}>
          <${Given} text=${party.cuenta} look="mono break" />
          ${party.cuenta && html`<${CopyButton} bare text=${party.cuenta} label=${t(`proof.copy.${side}`)} testid=${`copy-${side}`} />`}
        </${Fact}>
      </dl>
    </div>`;
}

// The parties and what the payer wrote.
export function ProofFacts({ proof, contradicted = [] }) {
  const { cep, coincidencias } = proof;
  const of = { proof, contradicted };
  return html`
    <div class="proof-facts">
      <div class="parties">
        <${Party} of=${of} side="ordenante" bankSide="emisor" />
        <${Party} of=${of} side="beneficiario" bankSide="receptor" matches=${coincidencias} />
      </div>
      <dl class="proof-rest">
        <${Fact} of=${of} fields=${['concepto']} label=${t('proof.concept')}><${Given} text=${cep.concepto} /></${Fact}>
        ${cep.iva !== null && html`<${Fact} of=${of} fields=${['iva']} label=${t('proof.vat')}><span class="number">${money(cep.iva)}</span></${Fact}>`}
        <${Fact} of=${of} fields=${['clave_rastreo']} label=${t('proof.tracking_key')}>
          <span class="mono break" data-testid="proof-tracking-key"><${ForeignText} text=${cep.clave_rastreo} /></span>
          <${CopyButton} bare text=${cep.clave_rastreo} label=${t('proof.copy.tracking_key')} testid="copy-tracking-key" />
        </${Fact}>
      </dl>
      ${proof.sello.estado === 'valid' && html`
        <p class="muted small sealed-legend"><${Icon} name="lock" />${t('proof.sealed_legend')}</p>`}
    </div>`;
}

const NOTICE_TONES = {
  campos_sin_sellar_comparados_con_el_banco: 'info',
  campos_sin_sellar_no_comparados: 'warn',
  campos_sin_sellar_no_coinciden_con_el_banco: 'bad',
  comprobante_traido_en_un_archivo: 'warn',
  sello_del_banco_de_pruebas: 'warn',
};

// What the seal doesn't tell; `children` is what can be done about it.
export const ProofNotices = ({ of: notices, children }) => notices.map(({ codigo, mensaje }) => html`
  <${Notice} key=${codigo} tone=${NOTICE_TONES[codigo]} testid="proof-notice">
    <p data-notice=${codigo}>${mensaje}</p>
    ${codigo === 'campos_sin_sellar_no_comparados' && children}
  </${Notice}>`);

// A warning about a proof that this account was given before: it may be shown for a second order.
export const EarlierDeliveries = ({ seen }) => seen?.veces > 0 && html`
  <${SeenBefore} told=${tn('proof.seen', seen.veces, { at: dateTime(seen.primera_vez) })} />`;

export const SeenBefore = ({ told }) => html`
  <${Notice} tone="warn" testid="seen"><p><strong>${told}</strong> ${t('proof.seen_more')}</p></${Notice}>`;
