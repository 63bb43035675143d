// A receipt that was read: its fields beside the picture, to be corrected, and the verdict on its payment.

import { html, useEffect, useRef, useState } from '../lib.js';
import { todayInMexico } from '../format.js';
import { t } from '../i18n.js';
import { OWN_ACCOUNTS } from '../own-account-queries.js';
import { newRepeatKey } from '../repeat-key.js';
import { bringIntoSight } from '../sight.js';
import { refresh, useQuery } from '../use-query.js';
import { unreachable } from '../api.js';
import { Badge } from './facts.js';
import { Notice } from './feedback.js';
import { Field } from './field.js';
import { ForeignText } from './foreign-text.js';
import { Icon } from './icon.js';
import { ReceiptVerdict } from './receipt-verdict.js';
import { Refusal, RequestIdLine } from './refusal.js';
import { SentPage } from './sent-page.js';

const FIELDS = ['clave_rastreo', 'numero_referencia', 'fecha', 'monto', 'cuenta', 'receptor', 'emisor'];
const LOOKS = {
  clave_rastreo: { class: 'mono' },
  numero_referencia: { class: 'mono', inputmode: 'numeric' },
  fecha: { type: 'date' },
  monto: { inputmode: 'decimal' },
  cuenta: { class: 'mono', inputmode: 'numeric' },
  receptor: {},
  emisor: {},
};
const TONES = { high: 'ok', medium: 'neutral', low: 'bad' };

// An account of which the first or last digits are shown: `****1234`, `4152****1234`.
const isMasked = (read) => read.includes('*');

function fitsMask(mask, account) {
  const [beginning, ending] = mask.split(/\*+/);
  return account.startsWith(beginning) && account.endsWith(ending);
}

// A value that a person has to complete isn't filled in.
const firstValue = (name, read) => (!read || (name === 'cuenta' && isMasked(read.valor)) ? '' : read.valor);

export function ReceiptReport({ receipt, file, onLookUp }) {
  const { tipo, avisos, enlace } = receipt;
  return html`
    <${Notice} tone=${tipo === 'receipt' ? 'info' : 'warn'} testid="receipt-kind"><p>${t(`receipt.more.${tipo}`)}</p></${Notice}>
    ${avisos.length > 0 && html`
      <${Notice} tone="warn" testid="receipt-notices"><ul class="hints">${avisos.map(({ codigo, mensaje }) => html`<li key=${codigo}>${mensaje}</li>`)}</ul></${Notice}>`}
    ${enlace && html`<p><a href=${enlace.url} target="_blank" rel="noopener noreferrer" data-testid="receipt-link">${t('receipt.link')}</a></p>`}
    ${tipo === 'receipt' && html`<${Reading} receipt=${receipt} file=${file} onLookUp=${onLookUp} />`}`;
}

// The fields, and the lookup that is made of them. One that is sent again, because its answer was lost, is counted once.
function Reading({ receipt: { campos, faltan }, file, onLookUp }) {
  const [values, setValues] = useState(() => Object.fromEntries(FIELDS.map((name) => [name, firstValue(name, campos[name])])));
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(null);
  const [at, setAt] = useState(null);
  const repeatKey = useRef(null);
  const outcome = useRef(null);
  const own = useOwnAccounts(campos.cuenta);
  // The only one that fits stands there at once; of several the person chooses.
  useEffect(() => {
    if (own.length === 1) setValues((old) => ({ ...old, cuenta: old.cuenta || own[0].cuenta }));
  }, [own.length]);
  const change = (name) => (value) => {
    repeatKey.current = null;
    setValues((old) => ({ ...old, [name]: value }));
  };
  const lookUp = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setResult(null);
    const body = bodyOf(values);
    repeatKey.current ??= newRepeatKey();
    const answer = await onLookUp(body, repeatKey.current).catch(unreachable);
    if (answer.status !== null) repeatKey.current = null;
    setBusy(false);
    setResult(answer);
    refresh();
  };
  useEffect(() => {
    if (result?.error) bringIntoSight(outcome.current);
  }, [result]);
  // A reference number matters where there is no tracking key.
  const shown = FIELDS.filter((name) => name !== 'numero_referencia' || !campos.clave_rastreo);
  const advice = { ...adviceOf(faltan, 'campo', 'mensaje'), ...adviceOf(result?.error?.details?.fields ?? [], 'field', 'message') };
  return html`
    <div class="receipt">
      <${SentPage} of=${file} place=${campos[at]?.lugar} />
      <form onSubmit=${lookUp} novalidate aria-label=${t('receipt.fields')} data-testid="receipt">
        ${shown.map((name) => html`
          <${ReadField} key=${name} name=${name} read=${campos[name]} advice=${advice[name]} refused=${Boolean(result?.error)} value=${values[name]}
            own=${name === 'cuenta' ? own : []} onInput=${change(name)} onFocus=${() => setAt(name)} />`)}
        <button type="submit" class="primary" disabled=${busy} data-testid="receipt-look-up">
          <${Icon} name="lookups" />${busy ? t('receipt.busy') : t('receipt.look_up')}
        </button>
        <p class="help">${t('receipt.look_up_help')}</p>
      </form>
    </div>
    <div aria-live="polite" ref=${outcome} aria-busy=${busy ? 'true' : undefined} data-testid="receipt-result">
      ${result?.error && html`<${Refusal} result=${result} />${result.requestId && html`<${RequestIdLine} id=${result.requestId} />`}`}
      ${result?.lookup && html`<${ReceiptVerdict} key=${result.lookup.id} id=${result.lookup.id} receipt=${readValues(campos)} />`}
    </div>`;
}

// The request: a tracking key finds the payment without a reference number.
function bodyOf(values) {
  const given = Object.entries(values).filter(([, value]) => value.trim());
  const hasKey = given.some(([name]) => name === 'clave_rastreo');
  return Object.fromEntries(given.filter(([name]) => !(hasKey && name === 'numero_referencia')));
}

// What was read, as GraphQL compares it with the proof.
const readValues = (campos) =>
  [...FIELDS, 'nombre_beneficiario']
    .filter((name) => campos[name])
    .map((name) => ({ field: name.toUpperCase(), value: campos[name].valor, confidence: campos[name].confianza.toUpperCase() }));

// What is to be done about fields, by their names.
const adviceOf = (told, name, message) => Object.fromEntries(told.map((each) => [each[name], each[message]]));

// The field with its confidence and the text that it was taken from. What was corrected by hand needs no advice.
function ReadField({ name, read, advice, refused, value, own, onInput, onFocus }) {
  const isChanged = value !== firstValue(name, read);
  const help = read && html`
    <${Badge} tone=${TONES[read.confianza]}>${t(`receipt.confidence.${read.confianza}`)}</${Badge}>
    ${read.texto && html` «<${ForeignText} text=${read.texto} />»`}
    ${read.alternativas.length > 0 && html` ${t('receipt.alternatives')} <${ForeignText} text=${read.alternativas.join(', ')} />`}`;
  return html`
    <${Field} label=${t(`field.${name}`)} help=${help} error=${isChanged && !refused ? undefined : advice}>
      ${(control) => html`
        <input type="text" autocomplete="off" spellcheck=${false} max=${name === 'fecha' ? todayInMexico() : undefined} ...${LOOKS[name]} ...${control}
          name=${name} value=${value} list=${own.length ? `${control.id}-own` : undefined} onInput=${({ target }) => onInput(target.value)} onFocus=${onFocus} />
        ${own.length > 0 && html`
          <datalist id=${`${control.id}-own`}>${own.map((each) => html`<option key=${each.id} value=${each.cuenta}>${each.name}</option>`)}</datalist>`}`}
    </${Field}>`;
}

// One's own accounts that have the digits of a masked account; none for a whole one.
function useOwnAccounts(read) {
  const masked = read && isMasked(read.valor);
  const { data } = useQuery(OWN_ACCOUNTS);
  return (masked && data?.ownAccounts.filter(({ cuenta }) => fitsMask(read.valor, cuenta))) || [];
}
