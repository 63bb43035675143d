// Pieces that say one fact of a batch each.

import { html } from '../lib.js';
import { count, exactTime, howLong, percent } from '../format.js';
import { t, tn } from '../i18n.js';
import { Link } from '../router.js';
import { Badge, EnvironmentBadge, KeyLink, Time } from './facts.js';

const TONES = { QUEUED: 'neutral', RUNNING: 'test', PAUSED: 'warn', FINISHED: 'ok', CANCELED: 'off' };

export const STATES = Object.keys(TONES);
export const OPEN_STATES = ['QUEUED', 'RUNNING', 'PAUSED'];

export const isOpen = ({ state }) => OPEN_STATES.includes(state);

export const BatchState = ({ state }) => html`
  <span data-testid="batch-state" data-state=${state}><${Badge} tone=${TONES[state]}>${t(`batch.state.${state}`)}</${Badge}></span>`;

// Its own name, if it has one.
export const titleOf = ({ name }) => name ?? t('batch.unnamed');

// Rows that are looked up: those without mistakes that repeat no other.
export const lookedUp = ({ rows, faulty, duplicates }) => rows - faulty - duplicates;

// Rows with a file, whatever its seal.
export const deliveredRows = ({ delivered, deliveredSealInvalid, deliveredSealNotChecked }) =>
  delivered + deliveredSealInvalid + deliveredSealNotChecked;

export const endedRows = (counts) =>
  deliveredRows(counts) + counts.ambiguous + counts.notFound + counts.failed + counts.expired + counts.canceled;

// Rows of an ended batch for which the bank may be asked again, those with mistakes once they are corrected.
export const unansweredRows = ({ notFound, failed, expired, canceled, notBegun, faulty }) =>
  notFound + failed + expired + canceled + notBegun + faulty;

// Path of the results in a format.
export const resultsAs = ({ files: { results } }, format) => `${results}${results.includes('?') ? '&' : '?'}format=${format}`;

export const workbookOf = (batch) => resultsAs(batch, 'xlsx');

function TimeLeft({ eta }) {
  const seconds = Math.max(0, (new Date(eta) - Date.now()) / 1000);
  return html`<time datetime=${eta} title=${exactTime(eta)}>${t('batch.left', { time: howLong(seconds) })}</time>`;
}

// `progress` is in percent.
export function BatchProgress({ of: { counts, progress, eta, state }, small }) {
  const words = t(small ? 'batch.progress_short' : 'batch.progress_of', { ended: count(endedRows(counts)), all: count(lookedUp(counts)) });
  return html`
    <div class=${small ? 'progress-block small' : 'progress-block'}>
      <div class="progress-words"><span class="number">${words}</span><strong class="number">${percent(progress / 100)}</strong></div>
      <progress max="100" value=${progress} aria-label=${t('batch.progress')} aria-valuetext=${words} data-testid="batch-progress">${words}</progress>
      ${!small && isOpen({ state }) && eta && html`<p class="muted small" data-testid="batch-eta"><${TimeLeft} eta=${eta} /></p>`}
    </div>`;
}

const Delivered = ({ of: { delivered, deliveredSealInvalid: invalid, deliveredSealNotChecked: unchecked } }) => html`
  <span class="stacked"><span>${count(delivered)}</span>
  ${invalid > 0 && html`<${Badge} tone="bad">${tn('batch.seal_invalid', invalid)}</${Badge}>`}
  ${unchecked > 0 && html`<${Badge} tone="warn">${tn('batch.seal_not_checked', unchecked)}</${Badge}>`}</span>`;

export const batchColumns = (keyOf) => [
  {
    key: 'name', label: t('batch.name'),
    cell: (batch) => html`
      <span class="stacked"><${Link} class="break" to=${`/batches/${batch.id}`} data-testid="batch-link">${titleOf(batch)}</${Link}>
      <small>${tn('batch.rows', batch.counts.rows)}</small></span>`,
  },
  {
    key: 'state', label: t('batch.state'),
    cell: ({ state, env }) => html`
      <span class="badges"><${BatchState} state=${state} /><${EnvironmentBadge} environment=${env} /></span>`,
  },
  { key: 'progress', label: t('batch.progress'), cell: (batch) => html`<${BatchProgress} of=${batch} small />` },
  { key: 'delivered', label: t('batch.count.delivered'), tone: 'number', cell: ({ counts }) => html`<${Delivered} of=${counts} />` },
  { key: 'key', label: t('request.key'), cell: ({ keyId }) => html`<${KeyLink} to=${`/keys/${keyId}`} subject=${keyOf(keyId)} />` },
  { key: 'created', label: t('batch.created'), cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];
