// A new batch: a key, a file, its check with the columns and the faulty rows, their corrections, and the start.

import { html, useEffect, useMemo, useRef, useState } from '../lib.js';
import { unreachable } from '../api.js';
import { BATCH_KEYS } from '../batch-queries.js';
import { createBatch, MOST_TABLE_BYTES, onlyFile, TABLES, tableRefusal } from '../batch-requests.js';
import { isComplete, withChoice } from '../column-choices.js';
import { refusedCorrections, sentForm } from '../corrections.js';
import { useDryRun } from '../dry-run.js';
import { size } from '../format.js';
import { t, tn } from '../i18n.js';
import { say, tableAtHand } from '../memory.js';
import { newRepeatKey } from '../repeat-key.js';
import { go, Link } from '../router.js';
import { useAllNodes } from '../use-query.js';
import { BatchOptions, usualOptions } from '../components/batch-options.js';
import { Button } from '../components/button.js';
import { keyTitle } from '../components/charged-key.js';
import { ColumnMapping } from '../components/column-mapping.js';
import { CreateButton } from '../components/create-button.js';
import { ChosenFile, DropZone, RefusedFile } from '../components/drop-zone.js';
import { DryRunReport } from '../components/dry-run-report.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Refusal, RequestIdLine } from '../components/refusal.js';
import { RowCorrections } from '../components/row-corrections.js';
import { Page } from './page.js';

export function NewBatch() {
  const { nodes: keys, error, reload } = useAllNodes(BATCH_KEYS, { first: 100 }, (data) => data.keys);
  const back = html`<${Link} class="back" to="/batches"><${Icon} name="back" />${t('nav.batches')}</${Link}>`;
  return html`
    ${back}
    <${Page} title=${t('new_batch.title')} lead=${t('new_batch.lead')}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(keys)} />`}
      ${!keys ? !error && html`<div class="panel"><${Skeleton} lines=${6} /></div>`
        : keys.length ? html`<${Form} keys=${keys} />`
          : html`<div class="panel"><${Empty} title=${t('new_batch.no_keys')} icon="key"><p class="muted">${t('new_batch.no_keys_more')}</p><${CreateButton} /></${Empty}></div>`}
    </${Page}>`;
}

const NONE = [];

// A file's name without its ending, cut to what a batch's name may be.
const nameOf = (file) => file.name.replace(/\.[^.]*$/, '').slice(0, 100);

// The key that was meant, as long as it is one of these; the only one otherwise.
function firstKey(keys, meant) {
  if (keys.some(({ id }) => id === meant)) return meant;
  return keys.length === 1 ? keys[0].id : '';
}

// Another view may have put a table at hand, which is taken once.
function takenTable() {
  const given = tableAtHand.get();
  tableAtHand.set(null);
  return given;
}

function Form({ keys }) {
  const [given] = useState(takenTable);
  const [keyId, setKey] = useState(() => firstKey(keys, given?.keyId));
  const [file, setFile] = useState(given?.file ?? null);
  const [refused, setRefused] = useState(null);
  // Choices of columns, and those of them that the file was last checked with.
  const [choices, setChoices] = useState({});
  const [checked, setChecked] = useState({});
  const [sheet, setSheet] = useState('');
  const [options, setOptions] = useState({ ...usualOptions, ...given?.options });
  const [skip, setSkip] = useState(false);
  // Corrections, and those of them that the file was last checked with.
  const [corrections, setCorrections] = useState(NONE);
  const [sent, setSent] = useState(NONE);
  const pending = sentForm(corrections) !== sentForm(sent);
  const table = { columns: checked, sheet, skip, corrections: sent };
  const check = useDryRun(file, keyId, table);
  const unclear = unclearFields(check);
  const incomplete = check.columns.length > 0 && !isComplete(check.columns, choices, unclear);

  // Columns and corrections belong to their sheet.
  const chooseSheet = (name) => {
    setSheet(name);
    setChoices({});
    setChecked({});
    setCorrections(NONE);
    setSent(NONE);
  };
  const choose = (files) => {
    if (!files.length) return;
    const { file: chosen = null, refused: refusal = null } = onlyFile(files, tableRefusal);
    setRefused(refusal);
    setFile(chosen);
    setSkip(false);
    chooseSheet('');
    if (chosen) setOptions((old) => ({ ...old, name: nameOf(chosen) }));
  };
  const assign = (field, number) => {
    const next = withChoice(choices, field, number);
    setChoices(next);
    if (isComplete(check.columns, next, unclear)) setChecked(next);
  };

  return html`
    <div class="panel batch-form">
      <${Select} label=${t('new_batch.key')} value=${keyId} onChange=${setKey} testid="batch-key"
        options=${[...(keyId ? [] : [['', t('new_batch.choose_key')]]), ...keys.map((key) => [key.id, keyTitle(key)])]} />
      <${DropZone} title=${t('new_batch.drop')} choose=${t('new_batch.choose')} help=${t('new_batch.drop_help', { most: size(MOST_TABLE_BYTES) })}
        accept=${TABLES} onFiles=${choose} multiple=${false} testid="batch-file" />
      ${refused && html`<div role="alert"><${RefusedFile} of=${refused} most=${MOST_TABLE_BYTES} testid="batch-refused" /></div>`}
      ${file && html`<${ChosenFile} file=${file} />`}
      ${file && !keyId && html`<${Notice}><p>${t('new_batch.key_first')}</p></${Notice}>`}
    </div>
    <p class="visually-hidden" role="status">${!incomplete && spoken(check)}</p>
    ${file && keyId && html`
      <${Checked} check=${check} incomplete=${incomplete}
        correcting=${{ corrections, pending, onChange: setCorrections, onCheck: () => setSent(corrections) }}>
        <${Sheets} of=${check} chosen=${sheet} onChange=${chooseSheet} />
        ${check.columns.length > 0 && html`<${ColumnMapping} columns=${check.columns} choices=${choices} unclear=${unclear} onChange=${assign} />`}
        ${check.columns.some(({ field }) => field === 'estado_codigo') && html`
          <label class="check"><input type="checkbox" checked=${skip} onChange=${({ target }) => setSkip(target.checked)} data-testid="skip-answered" />
            ${t('new_batch.skip_answered')}</label>`}
      </${Checked}>
      <${Start} check=${check} incomplete=${incomplete} pending=${pending} of=${[file, keyId, choices, sheet, skip, sent]} options=${options} onChange=${setOptions}
        send=${(repeatKey) => createBatch(file, keyId, table, options, repeatKey)} />`}`;
}

// The sheets of a workbook with several.
function Sheets({ of: { result, sheets }, chosen, onChange }) {
  if (sheets.length < 2) return null;
  const options = sheets.map((name) => [name, name]);
  const value = chosen || result?.answer?.sheet || '';
  return html`
    <${Select} label=${t('new_batch.sheet')} value=${value} onChange=${onChange} testid="batch-sheet"
      options=${sheets.includes(value) ? options : [['', t('new_batch.choose_sheet')], ...options]} />`;
}

// Fields for which the server found no column, or several; none of a file that it could read.
function unclearFields({ result }) {
  const { columns, missing = [] } = result?.error?.details ?? {};
  return columns ? missing : [];
}

function spoken({ busy, result }) {
  if (busy) return t('new_batch.checking');
  const preview = result?.answer;
  if (preview?.rows === 0) return t('dry_run.all_answered');
  return preview ? tn('dry_run.spoken', preview.rows, { ready: preview.ready, faulty: preview.faulty, duplicates: preview.duplicates }) : '';
}

// `incomplete`: a needed column isn't chosen yet, and the file isn't checked before it is. `correcting` are the
// corrections, and what is done with them.
function Checked({ check: { busy, result, columns, corrections, again }, incomplete, correcting, children }) {
  const unclear = Boolean(result?.error?.details?.columns);
  const preview = incomplete ? undefined : result?.answer;
  const refused = refusedCorrections(result);
  const rows = html`<${RowCorrections} preview=${preview} checked=${corrections} refused=${refused} busy=${busy} ...${correcting} />`;
  const withoutHeader = columns.length > 0 && columns.every(({ header }) => !header);
  return html`
    <section class="panel dry-run" aria-labelledby="check-title" data-testid="dry-run" aria-busy=${busy ? 'true' : undefined}>
      <header class="panel-head">
        <h2 id="check-title">${t('dry_run.title')}</h2>
        ${busy && html`<span class="muted small">${t('new_batch.checking')}</span>`}
      </header>
      ${!result && html`<${Skeleton} lines=${4} />`}
      ${incomplete && html`<${Notice} tone="warn" testid="columns-unclear"><p role="alert">${t(withoutHeader ? 'columns.no_header' : 'columns.unclear')}</p></${Notice}>`}
      ${refused.size > 0 && html`<div role="alert"><${Notice} tone="warn"><p>${tn('correct.refused', refused.size)}</p></${Notice}></div>`}
      ${result?.error && !unclear && !refused.size && html`
        <div role="alert"><${Refusal} result=${result} /></div>
        ${result.requestId && html`<${RequestIdLine} id=${result.requestId} />`}
        <p><button type="button" class="small" onClick=${again} data-testid="check-again"><${Icon} name="refresh" />${t('action.retry')}</button></p>`}
      <div class=${busy ? 'dry-run-body stale' : 'dry-run-body'}>
        ${children}
        ${preview ? html`<${DryRunReport} of=${preview}>${rows}</${DryRunReport}>` : rows}
      </div>
    </section>`;
}

// `of`: the things that a failure was about, which is over once one of them is another one. `pending`: there are
// corrections that the file wasn't checked with.
function Start({ check: { busy, result }, incomplete, pending, of: subject, options, onChange, send }) {
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState(null);
  const alive = useRef(true);
  useEffect(() => () => { alive.current = false; }, []);
  useEffect(() => setFailure(null), subject);
  const repeatKey = useMemo(newRepeatKey, [...subject, JSON.stringify(options)]);
  const ready = incomplete ? 0 : result?.answer?.ready ?? 0;
  const blocked = sending || busy || pending || ready === 0;

  const start = async (event) => {
    event.preventDefault();
    if (blocked) return;
    setSending(true);
    setFailure(null);
    const created = await send(repeatKey).catch(unreachable);
    if (!alive.current) return;
    setSending(false);
    if (created.error) {
      setFailure(created);
      return;
    }
    go(`/batches/${created.answer.id}`);
    say(t('new_batch.started'));
  };

  return html`
    <form class="panel" aria-labelledby="options-title" onSubmit=${start}>
      <h2 id="options-title">${t('new_batch.options')}</h2>
      <${BatchOptions} value=${options} onChange=${onChange} />
      ${failure && html`<div role="alert" data-testid="start-refused"><${Refusal} result=${failure} /></div>`}
      <div class="row">
        <${Button} type="submit" class="primary" blocked=${blocked} data-testid="batch-start">
          <${Icon} name="batches" />${sending ? t('state.working') : ready > 0 ? tn('new_batch.start', ready) : t('new_batch.start_none')}
        </${Button}>
        ${pending && html`<span class="muted small">${t('new_batch.check_first')}</span>`}
      </div>
    </form>`;
}
