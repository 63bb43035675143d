// A receipt that was read: its fields beside the picture, to be corrected, and the verdict on its payment.

import { html, useEffect, useRef, useState } from '../lib.js';
import { todayInMexico } from '../format.js';
import { t } from '../i18n.js';
import { open } from '../memory.js';
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
import { AddOwnAccount } from '../dialogs/own-account-dialogs.js';

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
  const [beginning, ending = ''] = mask.split(/\*+/);
  return account.startsWith(beginning) && account.endsWith(ending);
}

const firstValue = (read) => read?.valor ?? '';

const isPhone = (account) => /^\d{10}$/.test(account);
const isCode = (bank) => /^\d+$/.test(bank);

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
  const [values, setValues] = useState(() => Object.fromEntries(FIELDS.map((name) => [name, firstValue(campos[name])])));
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(null);
  const [at, setAt] = useState(null);
  const repeatKey = useRef(null);
  const outcome = useRef(null);
  const accountInput = useRef(null);
  const read = firstValue(campos.cuenta);
  const mask = isMasked(read) ? read : '';
  const own = useOwnAccounts(mask, values.receptor.trim());
  // Where the field is emptied, the receipt still shows the end of the account: no other one is asked for.
  const account = values.cuenta.trim() || mask;
  const needsAccount = faltan.some(({ campo, motivo }) => campo === 'cuenta' && motivo !== 'unclear');
  const lacksAccount = needsAccount && account === mask && !own?.length;
  const change = (name) => (value) => {
    repeatKey.current = null;
    setValues((old) => ({ ...old, [name]: value }));
  };
  // The only one that fits stands there at once; of several the gateway asks for each.
  const only = mask && own?.length === 1 ? own[0].cuenta : null;
  useEffect(() => {
    if (only && account === mask) change('cuenta')(only);
  }, [only]);
  const lookUp = async (event) => {
    event.preventDefault();
    if (busy) return;
    // The gateway would refuse it, and count it.
    if (lacksAccount && own) {
      accountInput.current.focus();
      return;
    }
    setBusy(true);
    setResult(null);
    const body = bodyOf({ ...values, cuenta: account });
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
  // Most accounts tell their bank, so it isn't missed before there is one.
  const missing = adviceOf(faltan.filter(({ campo, motivo }) => campo !== 'receptor' || motivo !== 'not_told' || !needsAccount || isPhone(account)), 'campo', 'mensaje');
  const refused = adviceOf(result?.error?.details?.fields ?? [], 'field', 'message');
  const isSettled = (name) => (name === 'cuenta' && needsAccount ? !lacksAccount : values[name] !== firstValue(campos[name]));
  return html`
    <div class="receipt">
      <${SentPage} of=${file} place=${campos[at]?.lugar} />
      <form onSubmit=${lookUp} novalidate aria-label=${t('receipt.fields')} data-testid="receipt">
        ${shown.map((name) => html`
          <${ReadField} key=${name} name=${name} read=${campos[name]} advice=${refused[name] ?? (isSettled(name) ? undefined : missing[name])} value=${values[name]}
            onInput=${change(name)} onFocus=${() => setAt(name)} ...${name === 'cuenta' && { own: mask ? own : [], lacking: lacksAccount, element: accountInput }} />`)}
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
function ReadField({ name, read, advice, value, own = [], lacking, element, onInput, onFocus }) {
  const help = read && html`
    <${Badge} tone=${TONES[read.confianza]}>${t(`receipt.confidence.${read.confianza}`)}</${Badge}>
    ${read.texto && html` «<${ForeignText} text=${read.texto} />»`}
    ${read.alternativas.length > 0 && html` ${t('receipt.alternatives')} <${ForeignText} text=${read.alternativas.join(', ')} />`}
    ${own.length > 1 && isMasked(value) && html` ${t('receipt.own_accounts', { names: own.map((each) => each.name).join(', ') })}`}`;
  // What is typed takes the place of a mask.
  const focus = ({ target }) => {
    onFocus();
    if (isMasked(value)) target.select();
  };
  return html`
    <${Field} label=${t(`field.${name}`)} help=${help} error=${advice}>
      ${(control) => html`
        <input type="text" autocomplete="off" spellcheck=${false} max=${name === 'fecha' ? todayInMexico() : undefined} ...${LOOKS[name]} ...${control}
          name=${name} value=${value} list=${own.length ? `${control.id}-own` : undefined} ref=${element} onInput=${({ target }) => onInput(target.value)} onFocus=${focus} />
        ${own.length > 0 && html`
          <datalist id=${`${control.id}-own`}>${own.map((each) => html`<option key=${each.id} value=${each.cuenta}>${each.name}</option>`)}</datalist>`}`}
    </${Field}>
    ${lacking && html`
      <button type="button" class="small" onClick=${() => open(() => html`<${AddOwnAccount} />`)} data-testid="receipt-add-account">
        <${Icon} name="plus" />${t('receipt.add_account')}
      </button>`}`;
}

// One's own accounts that have the digits of a masked account, of this bank if its code is told; undefined until they are known.
function useOwnAccounts(mask, bank) {
  const { data } = useQuery(OWN_ACCOUNTS);
  return data?.ownAccounts.filter(({ cuenta, receptor }) => fitsMask(mask, cuenta) && (!isCode(bank) || receptor === bank));
}
