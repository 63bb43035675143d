// Pieces that say one fact of a webhook or of a delivery each.

import { html } from '../lib.js';
import { count, dateTime, duration, exactTime } from '../format.js';
import { t, tn } from '../i18n.js';
import { Link } from '../router.js';
import { Badge, Time } from './facts.js';
import { untilNext } from './lookup-facts.js';

// Events that can be subscribed to; the test event always comes.
export const EVENTS = ['LOOKUP_DELIVERED', 'LOOKUP_AMBIGUOUS', 'LOOKUP_NOT_FOUND', 'LOOKUP_FAILED', 'LOOKUP_EXPIRED', 'BATCH_FINISHED', 'BATCH_PAUSED'];

// Its name in messages: `lookup.not_found`.
export const wireName = (event) => event.toLowerCase().replace('_', '.');

export const WebhookState = ({ of: { enabled, disabledReason, failingSince } }) => html`
  <span class="stacked"><span data-testid="webhook-state" data-state=${enabled ? 'enabled' : 'disabled'}>
    <${Badge} tone=${enabled ? (failingSince ? 'warn' : 'ok') : 'bad'}>${t(enabled ? (failingSince ? 'webhook.failing' : 'webhook.enabled') : 'webhook.disabled')}</${Badge}></span>
  ${!enabled && disabledReason && html`<small>${t(`webhook.disabled.${disabledReason}`)}</small>`}
  ${enabled && failingSince && html`<small>${t('webhook.since')} <${Time} at=${failingSince} /></small>`}</span>`;

export const EventList = ({ events }) => html`
  <ul class="names" aria-label=${t('webhook.events')}>${events.map((event) => html`<li key=${event}><code>${wireName(event)}</code></li>`)}</ul>`;

const TONES = { PENDING: 'warn', DELIVERED: 'ok', FAILED: 'bad', DISCARDED: 'off' };

export const isPending = ({ state }) => state === 'PENDING';

const placeOf = ({ event, subjectId }) => {
  if (event.startsWith('LOOKUP_')) return `/lookups/${subjectId}`;
  return event.startsWith('BATCH_') ? `/batches/${subjectId}` : null;
};

const Event = ({ of: delivery }) => {
  const to = placeOf(delivery);
  return html`
    <span class="stacked"><code class="nowrap">${wireName(delivery.event)}</code><small><${Time} at=${delivery.createdAt} /></small>
    ${to && html`<${Link} class="small" to=${to}>${t(delivery.event.startsWith('BATCH_') ? 'delivery.batch' : 'delivery.lookup')}</${Link}>`}</span>`;
};

const result = ({ status, failure }) => (status !== null ? `HTTP ${status}` : t(`delivery.failure.${failure}`));

const LastAttempt = ({ of: attempt }) => (attempt === null ? html`<span class="muted">—</span>` : html`
  <span class="stacked attempt">
    <span><strong data-testid="delivery-result">${result(attempt)}</strong> · <span class="number">${duration(attempt.durationMs)}</span></span>
    <small><${Time} at=${attempt.at} /></small>
    ${attempt.answer && html`
      <details class="small"><summary>${t('delivery.answer')}</summary><pre class="curl" tabindex="0">${attempt.answer}</pre></details>`}
  </span>`);

// The next of the attempts that are planned, and the time of the last one.
const Planned = ({ of: { attemptCount, attemptsLeft, nextAttemptAt, finalAttemptAt } }) => html`
  <time class="lookup-next planned" datetime=${nextAttemptAt} title=${exactTime(nextAttemptAt)} data-testid="delivery-next">
    ${t('delivery.next', { number: count(attemptCount + 1), all: count(attemptCount + attemptsLeft), when: untilNext(nextAttemptAt) })}</time>
  ${attemptsLeft > 1 && html`
    <time class="lookup-next planned" datetime=${finalAttemptAt} title=${exactTime(finalAttemptAt)} data-testid="delivery-final">${t('delivery.final', { at: dateTime(finalAttemptAt) })}</time>`}`;

const Attempts = ({ of: delivery }) => html`
  <span class="stacked"><span>${tn('delivery.attempts', delivery.attemptCount)}</span>
  ${delivery.nextAttemptAt && html`<${Planned} of=${delivery} />`}</span>`;

export const deliveryColumns = (resend) => [
  { key: 'event', label: t('delivery.event'), cell: (delivery) => html`<${Event} of=${delivery} />` },
  {
    key: 'state', label: t('batch.state'),
    cell: ({ state }) => html`<span data-testid="delivery-state" data-state=${state}><${Badge} tone=${TONES[state]}>${t(`delivery.state.${state}`)}</${Badge}></span>`,
  },
  { key: 'attempts', label: t('lookup.attempts'), cell: (delivery) => html`<${Attempts} of=${delivery} />` },
  { key: 'last', label: t('delivery.last'), cell: ({ lastAttempt }) => html`<${LastAttempt} of=${lastAttempt} />` },
  { key: 'actions', label: t('admin.actions'), cell: resend },
];
