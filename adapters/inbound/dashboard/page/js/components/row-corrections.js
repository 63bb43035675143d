// Faulty rows of a table whose cells are corrected beside the file, and the corrections that were made so far.

import { html, useEffect, useRef, useState } from '../lib.js';
import { BANKS, faultyRows, valueOf, without, withValue, withValueInAll } from '../corrections.js';
import { count } from '../format.js';
import { t, tn } from '../i18n.js';
import { PARTICIPANTS } from '../queries.js';
import { useQuery } from '../use-query.js';
import { Button, StateButton } from './button.js';
import { Fault } from './fault.js';
import { Field } from './field.js';
import { Icon } from './icon.js';

// So many rows are seen at first, and more with each press of a button.
const AT_ONCE = 20;
// The server takes no longer texts.
const MAX_CHARACTERS = 500;
const CODES = ['clave_rastreo', 'numero_referencia', 'cuenta'];
const BANK_NAMES = 'bank-names';

// `preview` is the answer of the check, if there is one, and `checked` the corrections that it was asked with; `refused`
// has the messages of those that the server refused, by their indexes.
export function RowCorrections({ preview, checked, corrections, refused, pending, busy, onChange, onCheck }) {
  const rows = preview ? faultyRows(preview, checked) : [];
  if (!rows.length && !corrections.length && !pending) return null;
  const check = (event) => {
    event.preventDefault();
    if (pending && !busy) onCheck();
  };
  return html`
    <form class="row-corrections" aria-label=${t('correct.title')} onSubmit=${check}>
      ${rows.length > 0 && html`<${FaultyRows} rows=${rows} unlisted=${unlisted(preview)} corrections=${corrections} onChange=${onChange} />`}
      <${Made} corrections=${corrections} checked=${checked} refused=${refused} onChange=${onChange} />
      ${(corrections.length > 0 || pending) && html`
        <div class="row check-again">
          <${StateButton} type="submit" class="primary" blocked=${!pending || busy} data-testid="check-corrected">
            <${Icon} name="refresh" />${corrections.length ? tn('correct.check', corrections.length) : t('correct.check_none')}
          </${StateButton}>
          ${pending && html`<span class="muted small">${t('correct.pending')}</span>`}
        </div>`}
    </form>`;
}

const unlisted = ({ rejected, faulty, duplicates }) => faulty + duplicates - rejected.length;

// The lines on which each mistake is first seen.
function firstLines(rows) {
  const firsts = new Map();
  for (const { line, cells, others } of rows) {
    for (const { message } of [...cells.flatMap(({ faults }) => faults), ...others]) if (!firsts.has(message)) firsts.set(message, line);
  }
  return firsts;
}

// A long message is read once.
const wordsOf = ({ message }, line, firsts) =>
  (firsts.get(message) === line ? message : t('correct.same', { line: count(firsts.get(message)) }));

function FaultyRows({ rows, unlisted: hidden, corrections, onChange }) {
  const [most, setMost] = useState(AT_ONCE);
  const list = useRef(null);
  const before = useRef(0);
  // The focus goes on to the first row that is new.
  useEffect(() => {
    if (before.current) list.current.children[before.current]?.querySelector('input')?.focus();
    before.current = 0;
  }, [most]);
  const shown = rows.slice(0, most);
  const firsts = firstLines(shown);
  const rest = rows.length - shown.length;
  const more = () => {
    before.current = shown.length;
    setMost(most + AT_ONCE);
  };
  const hasBanks = shown.some(({ cells }) => cells.some(({ field }) => BANKS.includes(field)));
  return html`
    <h3>${t('correct.title')}</h3>
    <p class="muted small">${t('correct.help')}</p>
    ${hasBanks && html`<${BankNames} />`}
    <ol class="faulty-rows" ref=${list}>
      ${shown.map((row) => html`<${FaultyRow} key=${row.line} of=${row} firsts=${firsts} corrections=${corrections} onChange=${onChange} />`)}
    </ol>
    ${rest > 0 && html`<p><button type="button" onClick=${more} data-testid="faulty-more">${tn('correct.more', Math.min(rest, AT_ONCE), { rest: count(rest) })}</button></p>`}
    ${hidden > 0 && html`<p class="muted small">${tn('dry_run.unlisted', hidden)}</p>`}`;
}

function BankNames() {
  const { data } = useQuery(PARTICIPANTS);
  return html`
    <datalist id=${BANK_NAMES}>
      ${(data?.participants ?? []).filter(({ active }) => active).map(({ code, name }) => html`<option key=${code} value=${code}>${name}</option>`)}
    </datalist>`;
}

const FaultyRow = ({ of: { line, told, cells, others }, firsts, ...rest }) => html`
  <li data-testid="faulty-row" data-line=${line}>
    <p class="stacked break"><strong class="number">${t('correct.line', { line: count(line) })}</strong>${told.map((value) => html`<small key=${value}>${value}</small>`)}</p>
    <div class="corrections">
      ${others.length > 0 && html`<ul class="remedies small">${others.map((fault) => html`<li key=${fault.message} class="field-error"><${Fault} field=${fault.field} message=${wordsOf(fault, line, firsts)} /></li>`)}</ul>`}
      ${cells.length > 0
        ? html`<div class="form-grid">${cells.map((cell) => html`<${Cell} key=${cell.field} line=${line} of=${cell} firsts=${firsts} ...${rest} />`)}</div>`
        : html`<p class="muted small">${t('correct.unreadable')}</p>`}
    </div>
  </li>`;

function Cell({ line, of: cell, firsts, corrections, onChange }) {
  const { field, was, faults, alike } = cell;
  const value = valueOf(corrections, line, cell);
  const change = (next) => onChange((old) => withValue(old, line, cell, next));
  const inAll = () => onChange((old) => withValueInAll(old, cell, value));
  const isInAll = corrections.some((one) => one.field === field && one.from === was && one.value === value);
  return html`
    <div class="correction">
      <${Field} label=${t(`given.${field}`)} error=${faults.map((fault) => wordsOf(fault, line, firsts)).join(' ')}>
        ${(control) => html`
          <input ...${control} type="text" class=${CODES.includes(field) ? 'mono' : ''} value=${value} maxlength=${MAX_CHARACTERS}
            autocomplete="off" spellcheck=${false} list=${BANKS.includes(field) ? BANK_NAMES : undefined}
            onInput=${({ target }) => change(target.value)} data-testid=${`correct-${field}`} />`}
      </${Field}>
      ${alike > 1 && (isInAll
        ? html`<p class="help">${t('correct.in_all')}</p>`
        : html`<${Button} class="small" blocked=${value === was} onClick=${inAll} data-testid="correct-all">${tn('correct.all', alike)}</${Button}>`)}
    </div>`;
}

const Value = ({ text }) => (text === '' ? html`<span class="muted">${t('correct.empty')}</span>` : html`<code>${text}</code>`);

// All corrections, those too whose rows are right by now.
function Made({ corrections, checked, refused, onChange }) {
  if (!corrections.length) return null;
  const messages = (made) => refused.get(checked.indexOf(made)) ?? [];
  const name = ({ line, field, from }) =>
    [line === undefined ? t('correct.every', { value: from || t('correct.empty') }) : t('correct.line', { line: count(line) }), t(`given.${field}`)].join(' · ');
  return html`
    <h3>${t('correct.made')}</h3>
    <ul class="made-corrections" data-testid="corrections">
      ${corrections.map((made) => html`
        <li key=${`${made.line} ${made.field} ${made.from}`} data-testid="correction" data-field=${made.field} data-line=${made.line}>
          <div class="break">
            <span class="muted small">${name(made)}</span>
            <div><del><${Value} text=${made.was} /></del> → <${Value} text=${made.value} /></div>
            ${messages(made).map((message) => html`<p key=${message} class="field-error" data-testid="correction-refused">${message}</p>`)}
          </div>
          <${StateButton} class="small quiet" onClick=${() => onChange((old) => without(old, made))} aria-label=${t('correct.undo_of', { name: name(made) })} data-testid="correction-undo">${t('correct.undo')}</${StateButton}>
        </li>`)}
    </ul>`;
}
