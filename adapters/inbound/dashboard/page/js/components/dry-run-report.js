// Report on the check of a table: its rows, their cost and time, and those that would not be looked up.

import { html, useState } from '../lib.js';
import { count, howLong } from '../format.js';
import { t, tn } from '../i18n.js';
import { Fault } from './fault.js';
import { Notice } from './feedback.js';
import { listed, PassedOver } from './passed-over.js';
import { Table } from './table.js';

const Tile = ({ label, value, note, testid }) => html`
  <div class="tile"><dt>${label}</dt><dd class="tile-value" data-testid=${testid}>${value}</dd>${note && html`<dd class="tile-note">${note}</dd>`}</div>`;

// `children` are the faulty rows.
export function DryRunReport({ of: preview, children }) {
  const { rows, ready, faulty, duplicates, quota_left: left, seconds } = preview;
  if (rows === 0) {
    return html`
      <${Notice} tone="ok" testid="all-answered"><p>${t('dry_run.all_answered')}</p></${Notice}>
      <${PassedOver} of=${preview.passed_over} />
      ${children}`;
  }
  return html`
    <dl class="tiles">
      <${Tile} label=${t('dry_run.rows')} value=${count(rows)} testid="dry-run-rows" />
      <${Tile} label=${t('dry_run.ready')} value=${count(ready)} note=${t('dry_run.ready_note')} testid="dry-run-ready" />
      <${Tile} label=${t('dry_run.faulty')} value=${count(faulty)} note=${t('dry_run.faulty_note')} testid="dry-run-faulty" />
      <${Tile} label=${t('dry_run.duplicates')} value=${count(duplicates)} note=${t('dry_run.duplicates_note')} testid="dry-run-duplicates" />
      <${Tile} label=${t('dry_run.quota')} value=${left === null ? t('key.no_cap') : count(left)} note=${tn('dry_run.quota_note', ready)} testid="dry-run-left" />
      <${Tile} label=${t('dry_run.time')} value=${ready ? `≈\u00a0${howLong(seconds, 'short')}` : '—'} note=${t('dry_run.time_note')} />
    </dl>
    ${preview.notices.map(({ code, message }) => html`
      <${Notice} key=${code} tone="warn" testid="dry-run-notice"><p>${message}</p></${Notice}>`)}
    ${preview.other_sheets.length > 0 && html`
      <${Notice} tone="warn" testid="dry-run-other-sheets"><p>${tn('dry_run.other_sheets', preview.other_sheets.length, { read: preview.sheet, sheets: preview.other_sheets.join(', ') })}</p></${Notice}>`}
    <${PassedOver} of=${preview.passed_over} />
    <${Taken} of=${preview.taken} />
    ${ready === 0 && html`<${Notice} tone="bad"><p>${t('dry_run.nothing')}</p></${Notice}>`}
    ${left !== null && ready > left && html`
      <${Notice} tone="warn" testid="dry-run-quota"><p>${tn('dry_run.over_quota', ready - left, { left: count(left) })}</p></${Notice}>`}
    ${faulty + duplicates + preview.warned === 0 && html`<${Notice} tone="ok"><p>${t('dry_run.flawless')}</p></${Notice}>`}
    <${Faults} of=${preview.faults} />
    ${children}
    <${Duplicates} of=${preview} />
    <${Warnings} of=${preview} />`;
}

// What the texts of a bank statement told, so that a person can compare some of it.
function Taken({ of: taken }) {
  if (!taken.length) return null;
  return html`
    <h3>${t('dry_run.taken')}</h3>
    <ul class="remedies" data-testid="taken">
      ${taken.slice(0, MOST_TAKEN).map(({ line, clave_rastreo: key, cuenta }) => html`
        <li key=${line}><span class="muted small">${t('dry_run.line')} ${count(line)}</span> <code class="break">${key}</code> <code class="break">${cuenta}</code></li>`)}
    </ul>`;
}

// Mistakes that several rows have in common, each once.
function Faults({ of: faults }) {
  const common = faults.filter(({ rows }) => rows > 1);
  if (!common.length) return null;
  return html`
    <h3>${t('dry_run.faults')}</h3>
    <ul class="remedies" data-testid="faults">
      ${common.map((fault) => html`
        <li key=${`${fault.field} ${fault.message}`} data-field=${fault.field} data-rows=${fault.rows}>
          <${Fault} field=${fault.field} message=${fault.message} />${' '}
          <span class="muted small">${tn('dry_run.fault_rows', fault.rows, { lines: listed(fault.rows, fault.lines) })}</span>
        </li>`)}
    </ul>`;
}

// So many are seen at once; the others are a button away.
const FIRST = 25;
// So many lines of a mistake are named.
// So many rows show what was taken from their texts.
const MOST_TAKEN = 5;

const LINE = () => (
  { key: 'line', label: t('dry_run.line'), cell: ({ line }) => html`<strong class="number"><span class="card-label">${t('dry_run.line')} </span>${count(line)}</strong>` });

const DUPLICATE_COLUMNS = () => [
  LINE(),
  { key: 'id', label: t('dry_run.id'), cell: ({ callerId }) => (callerId === null ? html`<span class="muted">—</span>` : html`<span class="break id-cell">${callerId}</span>`) },
  { key: 'remedy', label: t('dry_run.repeated'), tone: 'remedy', cell: (row) => html`<span class="break">${t('dry_run.repeats', { row: count(row.duplicate_of) })}</span>` },
];

// The rows that ask the same as an earlier one.
function Duplicates({ of: { rejected } }) {
  const [all, setAll] = useState(false);
  const rows = rejected.filter(({ state }) => state === 'duplicate').map((row) => ({ ...row, id: row.row, callerId: row.id }));
  if (!rows.length) return null;
  const shown = all ? rows : rows.slice(0, FIRST);
  const rest = rows.length - shown.length;
  return html`
    <h3>${t('dry_run.repeated_rows')}</h3>
    <${Table} label=${t('dry_run.repeated_rows')} rows=${shown} columns=${DUPLICATE_COLUMNS()} testid="duplicates-table"
      rowProps=${({ line }) => ({ 'data-testid': 'duplicate-row', 'data-line': line })} />
    ${rest > 0 && html`<p><button type="button" onClick=${() => setAll(true)} data-testid="duplicates-all">${tn('dry_run.show_rest', rest)}</button></p>`}`;
}

const WARNING_COLUMNS = () => [
  LINE(),
  { key: 'remedy', label: t('dry_run.remedy'), tone: 'remedy', cell: ({ field, message }) => html`<span class="break"><${Fault} field=${field} message=${message} /></span>` },
];

function Warnings({ of: { warnings, warned } }) {
  const [all, setAll] = useState(false);
  if (!warned) return null;
  const rows = warnings.map((warning) => ({ ...warning, id: `${warning.row} ${warning.code}` }));
  const shown = all ? rows : rows.slice(0, FIRST);
  const rest = rows.length - shown.length;
  return html`
    <h3>${t('dry_run.warnings')}</h3>
    <p class="muted small">${tn('dry_run.warnings_more', warned)}</p>
    <${Table} label=${t('dry_run.warnings')} rows=${shown} columns=${WARNING_COLUMNS()} testid="warnings-table"
      rowProps=${({ line, code }) => ({ 'data-testid': 'warning-row', 'data-line': line, 'data-code': code })} />
    ${rest > 0 && html`<p><button type="button" onClick=${() => setAll(true)} data-testid="warnings-all">${tn('dry_run.show_rest', rest)}</button></p>`}`;
}
