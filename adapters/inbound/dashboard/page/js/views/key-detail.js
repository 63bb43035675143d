// One key: what it may do, what it did, and what can be done to it.

import { html } from '../lib.js';
import { count, dateTime } from '../format.js';
import { t, tn } from '../i18n.js';
import { open } from '../memory.js';
import { ALL, OWN } from '../queries.js';
import { Link } from '../router.js';
import { useConnection, useQuery } from '../use-query.js';
import { StateButton } from '../components/button.js';
import {
  Ago, EnvironmentBadge, limitsInWords, Meter, MonthMeter, resets, KeyState, Time,
} from '../components/facts.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Listing } from '../components/listing.js';
import { QuotaWarnings } from '../components/quota-warnings.js';
import { requestColumns } from '../components/requests-table.js';
import { UsagePanel } from '../components/usage-panel.js';
import { RenameKey, RevokeKey, RotateKey, SetLimits } from '../dialogs/key-dialogs.js';
import { Page } from './page.js';

export function KeyDetail({ id, admin }) {
  const scope = admin ? ALL : OWN;
  const { data, error, reload } = useQuery(scope.key, { id }, { live: true });
  const back = html`<${Link} class="back" to=${admin ? '/admin/keys' : '/keys'}><${Icon} name="back" />${t(admin ? 'admin.keys' : 'nav.keys')}</${Link}>`;
  if (error && !data) return html`${back}<${Page} title=${t('key.title')}><${Failed} error=${error} retry=${reload} /></${Page}>`;
  if (!data) return html`${back}<div class="panel"><${Skeleton} lines=${6} /></div>`;
  const { key } = scope.of(data);
  if (!key) {
    return html`${back}<${Page} title=${t('key.none')}><div class="panel"><${Empty} title=${t('key.none')} icon="key"><p class="muted">${t('key.none_more')}</p></${Empty}></div></${Page}>`;
  }
  return html`
    ${back}
    <${Page} title=${key.name} lead=${html`<code>${key.prefix}</code> <${EnvironmentBadge} environment=${key.env} /> <${KeyState} state=${key.state} />`}
      actions=${html`<${Actions} subject=${key} admin=${admin} />`}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale />`}
      ${key.state === 'RETIRING' && html`<${Notice} tone="warn"><p>${t('key.retiring', { at: dateTime(key.retiresAt) })}</p></${Notice}>`}
      ${key.state === 'REVOKED' && html`<${Notice}><p>${t('key.revoked', { at: dateTime(key.revokedAt) })}</p></${Notice}>`}
      <${QuotaWarnings} keys=${[key]} linked=${false} />
      <${Facts} of=${key} admin=${admin} reload=${reload} />
      <${UsagePanel} scope=${scope} keyId=${id} breakdowns=${['OUTCOME', 'ENDPOINT']} />
      <${KeyRequests} scope=${scope} id=${id} />
    </${Page}>`;
}

function Actions({ subject, admin }) {
  if (subject.state === 'REVOKED') return null;
  const show = (dialog) => () => open(() => html`<${dialog} subject=${subject} admin=${admin} />`);
  return html`
    ${!admin && html`<button type="button" onClick=${show(RenameKey)} data-testid="rename"><${Icon} name="edit" />${t('rename.action')}</button>`}
    ${!admin && subject.state === 'ACTIVE' && html`
      <${StateButton} onClick=${show(RotateKey)} data-testid="rotate"><${Icon} name="rotate" />${t('rotate.action')}</${StateButton}>`}
    ${admin && html`<button type="button" onClick=${show(SetLimits)} data-testid="set-limits"><${Icon} name="edit" />${t('limits.action')}</button>`}
    <${StateButton} class="danger-quiet" onClick=${show(RevokeKey)} data-testid="revoke"><${Icon} name="forbid" />${t('revoke.action')}</${StateButton}>`;
}

function Facts({ of: key, admin, reload }) {
  const { window: now } = key;
  return html`
    <div class="fact-cards">
      <section class="panel" aria-labelledby="month-title">
        <h2 id="month-title">${t('key.month')}</h2>
        <${MonthMeter} of=${key} />
        <dl class="pairs">
          <div><dt>${t('key.left')}</dt><dd>${key.month.remaining === null ? t('key.no_cap') : count(key.month.remaining)}</dd></div>
          <div><dt>${t('key.charged')}</dt><dd>${count(key.month.charged)}</dd></div>
          <div><dt>${t('key.refunded')}</dt><dd>${count(key.month.refunded)}</dd></div>
        </dl>
        <p class="muted small">${resets(key.month.resetAt)} ${t('key.refunds')}</p>
      </section>
      <section class="panel" aria-labelledby="window-title">
        <header class="panel-head">
          <h2 id="window-title">${t('key.window')}</h2>
          <button type="button" class="quiet icon-only" aria-label=${t('action.refresh')} onClick=${reload}><${Icon} name="refresh" /></button>
        </header>
        <span class="number big">${t('key.window_left', { left: count(now.remaining), all: count(now.limit) })}</span>
        <${Meter} share=${1 - now.remaining / now.limit} tone=${now.remaining === 0 ? 'full' : ''} label=${t('key.window')}
          text=${t('key.window_left', { left: count(now.remaining), all: count(now.limit) })} />
        <p class="muted small">${now.remaining < now.limit ? tn('key.window_resets', now.resetSeconds) : t('key.window_free')}</p>
      </section>
      <section class="panel" aria-labelledby="about-title">
        <h2 id="about-title">${t('key.about')}</h2>
        <dl class="pairs">
          <div><dt>${t('keys.limits')}</dt><dd>${limitsInWords(key)}</dd></div>
          <div><dt>${t('keys.used')}</dt><dd><${Ago} at=${key.lastUsedAt} never=${t('keys.never')} /></dd></div>
          <div><dt>${t('key.created')}</dt><dd><${Time} at=${key.createdAt} /></dd></div>
          ${admin && html`<div><dt>${t('keys.owner')}</dt><dd class="break">${key.owner.subject}</dd></div>`}
          <div><dt>${t('key.id')}</dt><dd><code class="id">${key.id}</code></dd></div>
        </dl>
      </section>
    </div>`;
}

function KeyRequests({ scope, id }) {
  const list = useConnection(scope.requests, { first: 20, filter: { keyId: id } }, (data) => scope.of(data).requests);
  return html`
    <section class="panel" aria-labelledby="key-requests-title">
      <header class="panel-head"><h2 id="key-requests-title">${t('key.requests')}</h2></header>
      <${Listing} list=${list} label=${t('key.requests')} columns=${requestColumns({})} testid="requests-table"
        empty=${html`<${Empty} title=${t('key.no_requests')} icon="requests"><p class="muted">${t('recent.none_more')}</p></${Empty}>`} />
    </section>`;
}
