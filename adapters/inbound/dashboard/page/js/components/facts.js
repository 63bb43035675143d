// Small pieces that say one fact each: times, badges, meters.

import { html } from '../lib.js';
import { count, dateTime, exactTime, month, relative, utcDay } from '../format.js';
import { t } from '../i18n.js';
import { say } from '../memory.js';
import { Link } from '../router.js';
import { Icon } from './icon.js';

export const Time = ({ at }) => html`<time datetime=${at} title=${exactTime(at)}>${dateTime(at)}</time>`;

export const Ago = ({ at, never = '—' }) => at
  ? html`<time class="stacked" datetime=${at} title=${exactTime(at)}><span>${relative(at)}</span><small>${dateTime(at)}</small></time>`
  : html`<span class="muted">${never}</span>`;

export const Badge = ({ tone, children }) => html`<span class=${`badge ${tone}`}>${children}</span>`;

export const EnvironmentBadge = ({ environment }) => html`
  <${Badge} tone=${environment === 'LIVE' ? 'live' : 'test'}>${t(`environment.${environment}`)}</${Badge}>`;

const STATE_TONES = { ACTIVE: 'ok', RETIRING: 'warn', REVOKED: 'off' };

export const KeyState = ({ state }) => html`
  <${Badge} tone=${STATE_TONES[state]}>${t(`key.state.${state}`)}</${Badge}>`;

// `seal`: the verdict on what was delivered, whose colour it has unless it is a good one.
export const OutcomeBadge = ({ outcome, seal, word = t(`outcome.${outcome}`) }) => html`
  <span class=${`outcome outcome-${outcome} seal-${(seal ?? 'none').toLowerCase()}`}><span class="swatch" aria-hidden="true"></span>${word}</span>`;

// What a request delivered, with the verdict on its seal; of a file that somebody sent, the result of its checks.
export function RequestOutcome({ of: { endpoint, outcome, seal } }) {
  if (!seal) return html`<${OutcomeBadge} outcome=${outcome} />`;
  const isFile = endpoint === 'VERIFY';
  const verdict = seal.toLowerCase();
  const [word, help] = isFile
    ? [t(`seal.file.${verdict}`), t(`seal.file.${verdict}.help`)]
    : [t(`seal.${verdict}`), t(`seal.${verdict}.help`)];
  return html`
    <span class="stacked"><${OutcomeBadge} outcome=${outcome} seal=${seal} word=${isFile ? t('request.checked') : undefined} />
    <span class=${`seal-badge ${verdict}`} title=${help}>${word}</span></span>`;
}

// A key by its name, over its owner where that is known.
export const KeyLink = ({ to, subject: { name, owner }, children }) => html`
  <span class="stacked key-cell"><${Link} to=${to}>${children ?? name}</${Link}>${owner && html`<small class="break">${owner.subject}</small>`}</span>`;

// The share of the month's quota that is used; null without a cap.
export const quotaShare = ({ monthlyQuota, month: use }) => (monthlyQuota === null ? null : use.used / monthlyQuota);

// From here on a person is warned.
export const NEAR_QUOTA = 0.8;

export function MonthMeter({ of: key }) {
  const share = quotaShare(key);
  if (share === null) {
    return html`<span class="stacked"><span class="number">${count(key.month.used)}</span><small>${t('meter.no_cap')}</small></span>`;
  }
  const tone = share >= 1 ? 'full' : share >= NEAR_QUOTA ? 'near' : '';
  const words = t('meter.of', { used: count(key.month.used), quota: count(key.monthlyQuota) });
  return html`
    <div class="meter-block">
      <span class="number">${words}</span>
      <${Meter} share=${share} tone=${tone} label=${t('meter.label', { month: month(key.month.month) })} text=${words} />
    </div>`;
}

export const Meter = ({ share, tone = '', label, text }) => html`
  <div class=${`meter ${tone}`} role="meter" aria-label=${label} aria-valuemin="0" aria-valuemax="100"
    aria-valuenow=${Math.min(100, Math.round(share * 100))} aria-valuetext=${text}>
    <span style=${{ width: `${Math.min(100, share * 100)}%` }}></span>
  </div>`;

export const resets = (instant) => t('meter.resets', { date: utcDay(instant) });

// A request's id, shortened to the eye where there is little room, whole to the clipboard.
export function RequestId({ id }) {
  const copy = () => navigator.clipboard?.writeText(id).then(() => say(t('copy.done')), () => say(t('copy.failed')));
  return html`
    <span class="request-id">
      <code class="id" title=${id}>${id}</code>
      <button type="button" class="quiet icon-only" aria-label=${t('copy.request_id')} onClick=${copy}><${Icon} name="copy" /></button>
    </span>`;
}

export const limitsInWords = ({ perMinute, monthlyQuota }) => monthlyQuota === null
  ? t('limits.no_cap', { minute: count(perMinute) })
  : t('limits.both', { minute: count(perMinute), month: count(monthlyQuota) });
