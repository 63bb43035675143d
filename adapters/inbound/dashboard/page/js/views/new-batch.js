// A new batch: a key, a file, its check with the columns and the faulty rows, and the start.

import { html, useEffect, useRef, useState } from '../lib.js';
import { BATCH_KEYS } from '../batch-queries.js';
import { createBatch, MOST_TABLE_BYTES, TABLES, tableRefusal } from '../batch-requests.js';
import { useDryRun } from '../dry-run.js';
import { size } from '../format.js';
import { t, tn } from '../i18n.js';
import { say } from '../memory.js';
import { go, Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { BatchOptions, usualOptions } from '../components/batch-options.js';
import { ColumnMapping } from '../components/column-mapping.js';
import { CreateButton } from '../components/create-button.js';
import { DropZone } from '../components/drop-zone.js';
import { DryRunReport } from '../components/dry-run-report.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Refusal, RequestIdLine } from '../components/refusal.js';
import { Page } from './page.js';

export function NewBatch() {
  const { data, error, reload } = useQuery(BATCH_KEYS);
  const keys = data?.keys.nodes;
  const back = html`<${Link} class="back" to="/batches"><${Icon} name="back" />${t('nav.batches')}</${Link}>`;
  return html`
    ${back}
    <${Page} title=${t('new_batch.title')} lead=${t('new_batch.lead')}>
      ${error ? html`<${Failed} error=${error} retry=${reload} />`
        : !keys ? html`<div class="panel"><${Skeleton} lines=${6} /></div>`
          : keys.length ? html`<${Form} keys=${keys} />`
            : html`<div class="panel"><${Empty} title=${t('new_batch.no_keys')} icon="key"><p class="muted">${t('new_batch.no_keys_more')}</p><${CreateButton} /></${Empty}></div>`}
    </${Page}>`;
}

const keyTitle = ({ name, environment, prefix }) => `${name} · ${t(`environment.${environment}`)} · ${prefix}`;

// A file's name without its ending, cut to what a batch's name may be.
const nameOf = (file) => file.name.replace(/\.[^.]*$/, '').slice(0, 100);

function Form({ keys }) {
  const [keyId, setKey] = useState(keys.length === 1 ? keys[0].id : '');
  const [file, setFile] = useState(null);
  const [refused, setRefused] = useState(null);
  const [columns, setColumns] = useState({});
  const [options, setOptions] = useState(usualOptions);
  const chooser = useRef(null);
  const check = useDryRun(file, keyId, columns);

  const choose = ([chosen]) => {
    if (!chosen) return;
    const refusal = tableRefusal(chosen);
    setRefused(refusal && { name: chosen.name, refusal });
    setFile(refusal ? null : chosen);
    setColumns({});
    setOptions((old) => ({ ...old, name: nameOf(chosen) }));
  };
  // A column holds one field: the one that it was assigned last.
  const assign = (field, number) => setColumns((old) => {
    const others = Object.entries(old).filter(([name, taken]) => name !== field && taken !== number);
    return { ...Object.fromEntries(others), [field]: number };
  });

  return html`
    <div class="panel batch-form">
      <${Select} label=${t('new_batch.key')} value=${keyId} onChange=${setKey} testid="batch-key"
        options=${[...(keyId ? [] : [['', t('new_batch.choose_key')]]), ...keys.map((key) => [key.id, keyTitle(key)])]} />
      <${DropZone} title=${t('new_batch.drop')} choose=${t('new_batch.choose')} help=${t('new_batch.drop_help', { most: size(MOST_TABLE_BYTES) })}
        accept=${TABLES} onFiles=${choose} input=${chooser} multiple=${false} testid="batch-file" />
      ${refused && html`
        <${Notice} tone="bad" testid="batch-refused"><p role="alert"><strong class="break">${refused.name}</strong>: ${t(`new_batch.refused.${refused.refusal}`, { most: size(MOST_TABLE_BYTES) })}</p></${Notice}>`}
      ${file && html`<p class="row"><${Icon} name="file" /><strong class="break">${file.name}</strong><span class="muted small">${size(file.size)}</span></p>`}
      ${file && !keyId && html`<${Notice}><p>${t('new_batch.key_first')}</p></${Notice}>`}
    </div>
    <p class="visually-hidden" role="status">${spoken(check)}</p>
    ${file && keyId && html`
      <${Checked} check=${check} onAssign=${assign} />
      <${Start} check=${check} options=${options} onChange=${setOptions} send=${() => createBatch(file, keyId, columns, options)} />`}`;
}

function spoken({ busy, result }) {
  if (busy) return t('new_batch.checking');
  const preview = result?.answer;
  return preview ? tn('dry_run.spoken', preview.rows, { ready: preview.ready, faulty: preview.faulty, duplicates: preview.duplicates }) : '';
}

function Checked({ check: { busy, result, again }, onAssign }) {
  const columns = result?.answer?.columns ?? result?.error?.details?.columns ?? [];
  const unclear = result?.error?.details?.columns;
  return html`
    <section class="panel dry-run" aria-labelledby="check-title" data-testid="dry-run" aria-busy=${busy ? 'true' : undefined}>
      <header class="panel-head">
        <h2 id="check-title">${t('dry_run.title')}</h2>
        ${busy && html`<span class="muted small">${t('new_batch.checking')}</span>`}
      </header>
      ${!result && html`<${Skeleton} lines=${4} />`}
      ${unclear && html`<${Notice} tone="warn" testid="columns-unclear"><p role="alert">${t('columns.unclear')}</p></${Notice}>`}
      ${result?.error && !unclear && html`
        <${Refusal} result=${result} />
        ${result.requestId && html`<${RequestIdLine} id=${result.requestId} />`}
        <p><button type="button" class="small" onClick=${again}><${Icon} name="refresh" />${t('action.retry')}</button></p>`}
      <div class=${busy ? 'dry-run-body stale' : 'dry-run-body'}>
        ${columns.length > 0 && html`<${ColumnMapping} columns=${columns} onChange=${onAssign} />`}
        ${result?.answer && html`<${DryRunReport} of=${result.answer} />`}
      </div>
    </section>`;
}

function Start({ check: { busy, result }, options, onChange, send }) {
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState(null);
  const alive = useRef(true);
  useEffect(() => () => { alive.current = false; }, []);
  const ready = result?.answer?.ready ?? 0;

  const start = async (event) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setFailure(null);
    const created = await send().catch(({ message }) => ({ status: 503, error: { error: 'NETWORK', message } }));
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
      ${failure && html`<div role="alert"><${Refusal} result=${failure} /></div>`}
      <div class="row">
        <button type="submit" class="primary" disabled=${sending || busy || ready === 0} data-testid="batch-start">
          <${Icon} name="batches" />${sending ? t('state.working') : ready > 0 ? tn('new_batch.start', ready) : t('new_batch.start_none')}
        </button>
      </div>
    </form>`;
}
