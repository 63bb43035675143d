// The first page: how things are.

import { html } from '../lib.js';
import { count, month, percent, utcDay } from '../format.js';
import { t } from '../i18n.js';
import { KEYS_IN_BRIEF, OWN } from '../queries.js';
import { go, Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { BankPanel } from '../components/bank-panel.js';
import { CreateButton } from '../components/create-button.js';
import { NEAR_QUOTA, quotaShare } from '../components/facts.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { requestColumns } from '../components/requests-table.js';
import { Table } from '../components/table.js';
import { UsagePanel } from '../components/usage-panel.js';
import { Page } from './page.js';

const RECENT = 6;

// Names of keys by their ids, as far as they are known.
export function namesOf(keys) {
  const names = new Map((keys ?? []).map((key) => [key.id, key.name]));
  return (id) => names.get(id) ?? `${id.slice(0, 8)}…`;
}

export function Overview() {
  const keys = useQuery(KEYS_IN_BRIEF);
  const nodes = keys.data?.keys.nodes;
  if (keys.error) return html`<${Page} title=${t('nav.overview')}><${Failed} error=${keys.error} retry=${keys.reload} /></${Page}>`;
  if (nodes?.length === 0) return html`<${Page} title=${t('nav.overview')}><${Welcome} /><${BankPanel} /></${Page}>`;
  const nameOfKey = namesOf(nodes);
  return html`
    <${Page} title=${t('nav.overview')} actions=${nodes && html`<${CreateButton} />`}>
      <${QuotaWarnings} keys=${nodes ?? []} />
      <${UsagePanel} scope=${OWN} nameOfKey=${nameOfKey} breakdowns=${['OUTCOME', 'ENDPOINT', 'KEY']} />
      <${BankPanel} />
      <${Recent} nameOfKey=${nameOfKey} />
    </${Page}>`;
}

export function QuotaWarnings({ keys, linked = true }) {
  const near = keys
    .filter((key) => key.status !== 'REVOKED' && quotaShare(key) >= NEAR_QUOTA)
    .sort((a, b) => quotaShare(b) - quotaShare(a));
  return near.map((key) => {
    const full = quotaShare(key) >= 1;
    const values = {
      name: key.name,
      share: percent(quotaShare(key)),
      quota: count(key.limits.monthlyQuota),
      month: month(key.month.month),
      date: utcDay(key.month.resetsAt),
    };
    return html`
      <${Notice} key=${key.id} tone=${full ? 'bad' : 'warn'} testid="quota-warning">
        <p><strong>${t(full ? 'quota.full' : 'quota.near', values)}</strong> ${t(full ? 'quota.full_more' : 'quota.near_more', values)}
        ${linked && html`${' '}<${Link} to=${`/keys/${key.id}`}>${t('quota.see')}</${Link}>`}</p>
      </${Notice}>`;
  });
}

function Recent({ nameOfKey }) {
  const { data, error, reload } = useQuery(OWN.requests, { first: RECENT, after: null, filter: null });
  const nodes = data?.requests.nodes;
  const label = t('recent.title');
  return html`
    <section class="panel" aria-labelledby="recent-title">
      <header class="panel-head">
        <h2 id="recent-title">${label}</h2>
        ${nodes?.length > 0 && html`<${Link} to="/requests">${t('recent.all')}</${Link}>`}
      </header>
      ${error ? html`<${Failed} error=${error} retry=${reload} />`
        : !nodes ? html`<${Skeleton} lines=${5} />`
          : nodes.length ? html`
            <${Table} label=${label} rows=${nodes} testid="requests-table"
              columns=${requestColumns({ nameOfKey, keyPath: (id) => `/keys/${id}` })} />`
            : html`
              <${Empty} title=${t('recent.none')} icon="requests">
                <p class="muted">${t('recent.none_more')}</p>
                <button type="button" onClick=${() => go('/try')}><${Icon} name="try" />${t('recent.try')}</button>
              </${Empty}>`}
    </section>`;
}

const STEPS = ['create', 'call', 'watch'];

const Welcome = () => html`
  <section class="panel welcome" aria-labelledby="welcome-title">
    <h2 id="welcome-title">${t('welcome.title')}</h2>
    <p class="muted">${t('welcome.intro')}</p>
    <ol class="steps">
      ${STEPS.map((step) => html`<li key=${step}><strong>${t(`welcome.${step}`)}</strong><span class="muted">${t(`welcome.${step}_more`)}</span></li>`)}
    </ol>
    <${CreateButton} />
  </section>`;
