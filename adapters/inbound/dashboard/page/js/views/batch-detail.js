// One batch: its progress, its rows, its files, and what can be done to it.

import { html, useEffect, useState } from '../lib.js';
import { BATCH, BATCH_CHANGED } from '../batch-queries.js';
import { count, howLong } from '../format.js';
import { t, tn } from '../i18n.js';
import { useKeyNames } from '../key-names.js';
import { useLive } from '../live.js';
import { open } from '../memory.js';
import { usePolling } from '../polling.js';
import { OWN } from '../queries.js';
import { Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { BankBatch } from '../components/bank-batch.js';
import { BatchProgress, BatchState, isOpen, resultsAs, titleOf, workbookOf } from '../components/batch-facts.js';
import { BatchRows } from '../components/batch-rows.js';
import { StateButton } from '../components/button.js';
import { EnvironmentBadge, KeyLink, OutcomeBadge, Time } from '../components/facts.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { PassedOver } from '../components/passed-over.js';
import { TryAgain } from '../components/try-again.js';
import { CancelBatch, EraseBatch } from '../dialogs/batch-dialogs.js';
import { Page } from './page.js';

export function BatchDetail({ id }) {
  const { data, error, reload } = useQuery(BATCH, { id }, { live: true });
  const [told, setTold] = useState(null);
  useEffect(() => setTold(null), [data]);
  const batch = told ?? data?.batch;
  const changes = Boolean(batch && isOpen(batch));
  const live = useLive(BATCH_CHANGED, { id }, changes, ({ batchChanged }) => setTold(batchChanged));
  usePolling(reload, changes && !live);
  const back = html`<${Link} class="back" to="/batches"><${Icon} name="back" />${t('nav.batches')}</${Link}>`;
  if (error && !data) return html`${back}<${Page} title=${t('batch.title')}><${Failed} error=${error} retry=${reload} /></${Page}>`;
  if (!data) return html`${back}<div class="panel"><${Skeleton} lines=${6} /></div>`;
  if (!batch) {
    return html`${back}<${Page} title=${t('batch.none')}><div class="panel"><${Empty} title=${t('batch.none')} icon="batches"><p class="muted">${t('batch.none_more')}</p></${Empty}></div></${Page}>`;
  }
  return html`
    ${back}
    <${Page} title=${titleOf(batch)}
      lead=${html`<span class="badges"><span role="status"><${BatchState} state=${batch.state} /></span><${EnvironmentBadge} environment=${batch.env} /></span> <code class="id">${batch.id}</code>`}
      actions=${html`<${Actions} subject=${batch} />`}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale />`}
      ${batch.state === 'PAUSED' && html`<${Paused} of=${batch} />`}
      <section class="panel" aria-labelledby="progress-title">
        <header class="panel-head"><h2 id="progress-title">${t('batch.progress')}</h2></header>
        <${BatchProgress} of=${batch} />
        ${batch.counts.deliveredSealInvalid > 0 && html`
          <${Notice} tone="bad" testid="batch-seal-invalid"><p><strong>${tn('batch.seal_invalid', batch.counts.deliveredSealInvalid)}</strong> ${t('batch.seal_invalid_more')}</p></${Notice}>`}
        <${Counts} of=${batch.counts} />
        <${PassedOver} of=${batch.passedOver} />
      </section>
      ${!changes && html`<${TryAgain} of=${batch} />`}
      <div class="fact-cards">
        <${Files} of=${batch} />
        <${About} of=${batch} />
      </div>
      ${batch.state !== 'CANCELED' && html`<${BankBatch} of=${batch} />`}
      <${BatchRows} id=${id} counts=${batch.counts} changes=${changes} />
    </${Page}>`;
}

function Actions({ subject }) {
  const show = (dialog) => () => open(() => html`<${dialog} subject=${subject} />`);
  return isOpen(subject)
    ? html`<${StateButton} key="cancel" class="danger-quiet" onClick=${show(CancelBatch)} data-testid="cancel-batch"><${Icon} name="forbid" />${t('cancel_batch.action')}</${StateButton}>`
    : html`<${StateButton} key="erase" class="danger-quiet" onClick=${show(EraseBatch)} data-testid="erase-batch"><${Icon} name="erase" />${t('erase_batch.action')}</${StateButton}>`;
}

const Paused = ({ of: { reason, keyId } }) => html`
  <${Notice} tone="warn" testid="batch-paused">
    <p><strong>${t('batch.paused')}</strong> ${reason === 'QUOTA_EXCEEDED' ? t('batch.paused_quota') : reason && html`<${OutcomeBadge} outcome=${reason} />`}
    ${' '}<${Link} to=${`/keys/${keyId}`}>${t('quota.see')}</${Link}></p>
  </${Notice}>`;

const COUNTS = ['delivered', 'deliveredSealInvalid', 'deliveredSealNotChecked', 'ambiguous', 'notFound', 'failed', 'expired', 'canceled', 'waiting', 'running', 'queued', 'notBegun', 'erased', 'faulty', 'duplicates'];

const COUNT_TONES = { deliveredSealInvalid: 'bad', deliveredSealNotChecked: 'warn' };

// Nothing of a kind isn't said, but for the proofs.
const Counts = ({ of: counts }) => html`
  <dl class="tiles counts" data-testid="batch-counts">
    ${COUNTS.filter((name) => counts[name] > 0 || name === 'delivered').map((name) => html`
      <div key=${name} class=${`tile ${COUNT_TONES[name] ?? ''}`} data-count=${name}><dt>${t(`batch.count.${name}`)}</dt><dd class="tile-value">${count(counts[name])}</dd></div>`)}
  </dl>`;

const Files = ({ of: batch }) => html`
  <section class="panel" aria-labelledby="files-title">
    <h2 id="files-title">${t('batch.files')}</h2>
    <p class="muted small">${t(isOpen(batch) ? 'batch.files_so_far' : 'batch.files_more')}</p>
    <div class="row">
      <a class="button primary" href=${workbookOf(batch)} download data-testid="results-xlsx"><${Icon} name="download" />${t('batch.results_xlsx')}</a>
      <a class="button" href=${resultsAs(batch, 'csv')} download data-testid="results-csv"><${Icon} name="download" />${t('batch.results_csv')}</a>
      <a class="button" href=${batch.files.zip} download data-testid="files-zip"><${Icon} name="download" />${t('batch.files_zip')}</a>
    </div>
  </section>`;

function About({ of: batch }) {
  const keyOf = useKeyNames(OWN, [batch.keyId]);
  return html`
    <section class="panel" aria-labelledby="about-title">
      <h2 id="about-title">${t('batch.about')}</h2>
      <dl class="pairs">
        <div><dt>${t('request.key')}</dt><dd><${KeyLink} to=${`/keys/${batch.keyId}`} subject=${keyOf(batch.keyId)} /></dd></div>
        <div><dt>${t('batch.created')}</dt><dd><${Time} at=${batch.createdAt} /></dd></div>
        <div><dt>${t('batch.updated')}</dt><dd><${Time} at=${batch.updatedAt} /></dd></div>
        <div><dt>${t('new_batch.formats')}</dt><dd>${batch.formats.map((format) => format.toUpperCase()).join(' + ')}</dd></div>
        <div><dt>${t('new_batch.retry_for')}</dt><dd>${batch.retryFor ? howLong(batch.retryFor) : t('new_batch.once')}</dd></div>
        ${batch.eraseAt && html`<div><dt>${t('lookup.erase_at')}</dt><dd><${Time} at=${batch.eraseAt} /></dd></div>`}
      </dl>
    </section>`;
}
