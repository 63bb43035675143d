// Pieces that say one fact of a stored lookup each.

import { html } from '../lib.js';
import { count, dateTime, exactTime, money, relative } from '../format.js';
import { t, tn } from '../i18n.js';
import { Badge, EnvironmentBadge, KeyLink, OutcomeBadge, Time } from './facts.js';
import { Icon } from './icon.js';
import { Link } from '../router.js';

export const LOOKUP_TONES = {
  QUEUED: 'neutral', RUNNING: 'test', WAITING: 'warn', DELIVERED: 'ok', AMBIGUOUS: 'warn', NOT_FOUND: 'bad', FAILED: 'bad', EXPIRED: 'bad', CANCELED: 'off',
};

export const STATES = Object.keys(LOOKUP_TONES);
export const OPEN_STATES = ['QUEUED', 'RUNNING', 'WAITING'];

export const isOpen = ({ state }) => OPEN_STATES.includes(state);

// A file with an invalid seal proves no payment: nothing shows it as a success.
export const isDistrusted = ({ state, seal }) => state === 'DELIVERED' && seal === 'INVALID';

// Nothing is known of its seal, for or against it.
const isUnproven = ({ state, seal }) => state === 'DELIVERED' && seal === 'NOT_CHECKED';

// `word` tells a state.
export function DeliveryBadge({ of: subject, tones, word }) {
  if (isDistrusted(subject)) {
    return html`<${Badge} tone="bad marked"><span><${Icon} name="warning" />${word('seal_invalid')}</span></${Badge}>`;
  }
  if (isUnproven(subject)) {
    return html`<${Badge} tone="warn marked"><span><${Icon} name="info" />${word('seal_not_checked')}</span></${Badge}>`;
  }
  return html`<${Badge} tone=${tones[subject.state]}>${word(subject.state)}</${Badge}>`;
}

export const LookupState = ({ of: lookup }) => html`
  <span data-testid="lookup-state" data-state=${lookup.state} data-seal=${lookup.seal}><${DeliveryBadge} of=${lookup} tones=${LOOKUP_TONES} word=${(state) => t(`lookup.state.${state}`)} /></span>`;

export const Reason = ({ of: { reason } }) => (reason
  ? html`<${OutcomeBadge} outcome=${reason} />` : html`<span class="muted">—</span>`);

// The end of an id: the beginnings of ids that were made in one minute are alike.
const shortId = (id) => `…${id.slice(-12)}`;

// Pairs of the metadata that a row has room for; the lookup's own view has all of them.
const MOST_PAIRS = 2;

const Metadata = ({ pairs }) => html`
  <small class="lookup-metadata">
    ${pairs.slice(0, MOST_PAIRS).map(({ name, value }) => html`<span key=${name}>${name}: ${value}</span>`)}
    ${pairs.length > MOST_PAIRS && html`<span>${tn('lookup.more_pairs', pairs.length - MOST_PAIRS)}</span>`}
  </small>`;

const MINUTE_MS = 60_000;

const isSoon = (at) => Math.abs(new Date(at) - Date.now()) < MINUTE_MS;

// The time from now to the next attempt. Whole minutes are as exact as a list that is read every few seconds.
export const untilNext = (at) => (isSoon(at) ? t('lookup.soon') : relative(at));

export const NextAttempt = ({ at }) => html`
  <time class="stacked" datetime=${at} title=${exactTime(at)}><span>${untilNext(at)}</span><small>${dateTime(at)}</small></time>`;

const Attempts = ({ of: { attemptCount, nextAttemptAt: next } }) => html`
  <span class="stacked"><span>${count(attemptCount)}</span>
  ${next && html`<time class="lookup-next" datetime=${next} title=${exactTime(next)}>${t('lookup.next_in', { when: untilNext(next) })}</time>`}</span>`;

export const lookupColumns = (keyOf) => [
  {
    key: 'id', label: t('lookup.id'),
    cell: ({ id, metadata }) => html`
      <span class="stacked lookup-cell"><${Link} to=${`/lookups/${id}`} title=${id} data-testid="lookup-link"><code>${shortId(id)}</code></${Link}>
      ${metadata.length > 0 && html`<${Metadata} pairs=${metadata} />`}</span>`,
  },
  {
    key: 'state', label: t('lookup.state'),
    cell: (row) => html`
      <span class="stacked"><span class="badges"><${LookupState} of=${row} /><${EnvironmentBadge} environment=${row.env} /></span>
      ${row.origin === 'IMPORTED' && html`<small>${t('row.imported')}</small>`}
      ${row.reason && html`<small><${Reason} of=${row} /></small>`}</span>`,
  },
  { key: 'amount', label: t('columns.monto'), tone: 'number', cell: ({ question }) => html`<span class="nowrap">${money(question.monto)}</span>` },
  { key: 'attempts', label: t('lookup.attempts'), cell: (row) => html`<${Attempts} of=${row} />` },
  { key: 'key', label: t('request.key'), cell: ({ keyId }) => html`<${KeyLink} to=${`/keys/${keyId}`} subject=${keyOf(keyId)} />` },
  { key: 'created', label: t('lookup.created'), cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];
