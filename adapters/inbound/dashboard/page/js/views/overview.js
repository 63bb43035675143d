// The first page: how things are.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { useKeyNames } from '../key-names.js';
import { KEYS_IN_BRIEF, OWN } from '../queries.js';
import { go, Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { BankPanel } from '../components/bank-panel.js';
import { CreateButton } from '../components/create-button.js';
import { Empty, Failed, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { QuotaWarnings } from '../components/quota-warnings.js';
import { requestColumns } from '../components/requests-table.js';
import { Table } from '../components/table.js';
import { UsagePanel } from '../components/usage-panel.js';
import { Page } from './page.js';

const RECENT = 6;

export function Overview() {
  const keys = useQuery(KEYS_IN_BRIEF, {}, { live: true });
  const nodes = keys.data?.keys.nodes;
  if (keys.error && !nodes) return html`<${Page} title=${t('nav.overview')}><${Failed} error=${keys.error} retry=${keys.reload} /></${Page}>`;
  if (nodes?.length === 0) return html`<${Page} title=${t('nav.overview')}><${Welcome} /><${BankPanel} /></${Page}>`;
  return html`
    <${Page} title=${t('nav.overview')} actions=${nodes && html`<${CreateButton} />`}>
      ${keys.error && html`<${Failed} error=${keys.error} retry=${keys.reload} stale />`}
      <${QuotaWarnings} keys=${nodes ?? []} />
      <${UsagePanel} scope=${OWN} breakdowns=${['OUTCOME', 'ENDPOINT', 'KEY']} />
      <${BankPanel} />
      <${Recent} />
    </${Page}>`;
}

function Recent() {
  const { data, error, reload } = useQuery(OWN.requests, { first: RECENT, after: null, filter: null }, { live: true });
  const nodes = data?.requests.nodes;
  const keyOf = useKeyNames(OWN, (nodes ?? []).map(({ keyId }) => keyId));
  const label = t('recent.title');
  return html`
    <section class="panel" aria-labelledby="recent-title">
      <header class="panel-head">
        <h2 id="recent-title">${label}</h2>
        ${nodes?.length > 0 && html`<${Link} to="/requests">${t('recent.all')}</${Link}>`}
      </header>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(nodes)} />`}
      ${!nodes ? !error && html`<${Skeleton} lines=${5} />`
        : nodes.length ? html`
          <${Table} label=${label} rows=${nodes} testid="requests-table"
            columns=${requestColumns({ keyOf, keyPath: (id) => `/keys/${id}` })} />`
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
