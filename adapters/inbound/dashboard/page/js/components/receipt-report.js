// A receipt that was read: its fields beside the picture, to be corrected, and the proof that the bank has of it.

import { html, useEffect, useState } from '../lib.js';
import { todayInMexico } from '../format.js';
import { t } from '../i18n.js';
import { OWN_ACCOUNTS } from '../own-account-queries.js';
import { useQuery } from '../use-query.js';
import { Badge } from './facts.js';
import { Notice } from './feedback.js';
import { Field } from './field.js';
import { ForeignText } from './foreign-text.js';
import { Icon } from './icon.js';
import { EarlierDeliveries, Payment, ProofFacts, ProofNotices } from './proof-facts.js';
import { Refusal, RequestIdLine } from './refusal.js';
import { SealVerdict } from './seal-verdict.js';

const FIELDS = ['clave_rastreo', 'fecha', 'monto', 'cuenta', 'receptor', 'emisor'];
const LOOKS = {
  clave_rastreo: { class: 'mono' },
  fecha: { type: 'date' },
  monto: { inputmode: 'decimal' },
  cuenta: { class: 'mono', inputmode: 'numeric' },
  receptor: {},
  emisor: {},
};
const TONES = { high: 'ok', medium: 'neutral', low: 'bad' };

// A value that a person has to complete isn't filled in.
const firstValue = (name, read) => (!read || (name === 'cuenta' && read.valor.startsWith('*')) ? '' : read.valor);

export function ReceiptReport({ receipt, file, onLookUp }) {
  const { tipo, campos, faltan, avisos, enlace } = receipt;
  const [values, setValues] = useState(() => Object.fromEntries(FIELDS.map((name) => [name, firstValue(name, campos[name])])));
  const [state, setState] = useState({});
  const own = useOwnAccounts(campos.cuenta);
  // The only one that fits stands there at once; of several the person chooses.
  useEffect(() => {
    if (own.length === 1) setValues((old) => ({ ...old, cuenta: old.cuenta || own[0].cuenta }));
  }, [own.length]);
  const lookUp = async (event) => {
    event.preventDefault();
    if (state.busy) return;
    setState({ busy: true });
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim()));
    try {
      setState({ result: await onLookUp(body) });
    } catch {
      setState({ lost: true });
    }
  };
  const missing = Object.fromEntries(faltan.map(({ campo, mensaje }) => [campo, mensaje]));
  return html`
    <${Notice} tone=${tipo === 'receipt' ? 'info' : 'warn'}><p>${t(`receipt.more.${tipo}`)}</p></${Notice}>
    ${avisos.length > 0 && html`
      <${Notice} tone="warn" testid="receipt-notices"><ul class="hints">${avisos.map(({ codigo, mensaje }) => html`<li key=${codigo}>${mensaje}</li>`)}</ul></${Notice}>`}
    ${enlace && html`<p><a href=${enlace.url} target="_blank" rel="noopener noreferrer" data-testid="receipt-link">${t('receipt.link')}</a></p>`}
    ${tipo === 'receipt' && html`
      <div class="receipt">
        <${Picture} of=${file} />
        <form onSubmit=${lookUp} novalidate aria-label=${t('receipt.fields')} data-testid="receipt">
          ${FIELDS.map((name) => html`
            <${ReadField} key=${name} name=${name} read=${campos[name]} missing=${missing[name]} value=${values[name]} own=${name === 'cuenta' ? own : []}
              onInput=${(value) => setValues((old) => ({ ...old, [name]: value }))} />`)}
          <button type="submit" class="primary" disabled=${state.busy} data-testid="receipt-look-up">
            <${Icon} name="lookups" />${state.busy ? t('receipt.busy') : t('receipt.look_up')}
          </button>
          <p class="help">${t('receipt.look_up_help')}</p>
        </form>
      </div>
      <div aria-live="polite" data-testid="receipt-result">
        ${state.lost && html`<${Notice} tone="bad"><p>${t('error.network')}</p></${Notice}>`}
        ${state.result && html`<${Result} of=${state.result} />`}
      </div>`}`;
}

// The field with its confidence and the text that it was taken from. What was corrected by hand needs no advice.
function ReadField({ name, read, missing, value, own, onInput }) {
  const isChanged = value !== firstValue(name, read);
  const help = read && html`
    <${Badge} tone=${TONES[read.confianza]}>${t(`receipt.confidence.${read.confianza}`)}</${Badge}>
    ${read.texto && html` «<${ForeignText} text=${read.texto} />»`}
    ${read.alternativas.length > 0 && html` ${t('receipt.alternatives')} <${ForeignText} text=${read.alternativas.join(', ')} />`}`;
  return html`
    <${Field} label=${t(`field.${name}`)} help=${help} error=${isChanged ? undefined : missing}>
      ${(control) => html`
        <input type="text" autocomplete="off" spellcheck=${false} max=${name === 'fecha' ? todayInMexico() : undefined} ...${LOOKS[name]} ...${control}
          name=${name} value=${value} list=${own.length ? `${control.id}-own` : undefined} onInput=${({ target }) => onInput(target.value)} />
        ${own.length > 0 && html`
          <datalist id=${`${control.id}-own`}>${own.map((each) => html`<option key=${each.id} value=${each.cuenta}>${each.name}</option>`)}</datalist>`}`}
    </${Field}>`;
}

// One's own accounts that end in what a masked account shows; none for a whole one.
function useOwnAccounts(read) {
  const masked = read?.valor.startsWith('*');
  const { data } = useQuery(OWN_ACCOUNTS);
  const ending = masked ? read.valor.replace(/^\*+/, '') : '';
  return (masked && data?.ownAccounts.filter(({ cuenta }) => cuenta.endsWith(ending))) || [];
}

function Result({ of: result }) {
  const { proof, requestId } = result;
  if (!proof) return html`<${Refusal} result=${result} /><${RequestIdLine} id=${requestId} />`;
  const distrusted = proof.sello.estado === 'invalid';
  return html`
    <${Notice} tone=${distrusted ? 'bad' : 'ok'} testid="receipt-proved"><p>${t(distrusted ? 'proof.distrust' : 'receipt.proved')}</p></${Notice}>
    <${EarlierDeliveries} seen=${proof.visto} />
    <${Payment} proof=${proof} />
    <${ProofNotices} of=${proof.avisos} />
    <${SealVerdict} seal=${proof.sello} covered=${proof.campos_sellados} />
    <${ProofFacts} proof=${proof} />
    <${RequestIdLine} id=${requestId} />`;
}

// The picture, as the browser has it; nothing is sent for it.
function Picture({ of: file }) {
  const [source, setSource] = useState(null);
  useEffect(() => {
    if (!file.type.startsWith('image/')) return undefined;
    const reader = new FileReader();
    reader.onload = () => setSource(reader.result);
    reader.readAsDataURL(file);
    return () => reader.abort();
  }, [file]);
  return source && html`<img class="receipt-picture" src=${source} alt=${t('receipt.picture', { name: file.name })} data-testid="receipt-picture" />`;
}
