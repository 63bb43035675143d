// Keys: one's own, or — for admins — everybody's.

import { html, useEffect, useState } from '../lib.js';
import { count } from '../format.js';
import { t } from '../i18n.js';
import { ALL, OWN } from '../queries.js';
import { Link, place, setQuery } from '../router.js';
import { useConnection } from '../use-query.js';
import { CreateButton } from '../components/create-button.js';
import { Ago, EnvironmentBadge, MonthMeter, KeyState } from '../components/facts.js';
import { Empty } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { Listing } from '../components/listing.js';
import { OfAccount } from '../components/of-account.js';
import { Search, useDebounced } from '../components/search.js';
import { Page } from './page.js';

const STATES = { working: ['ACTIVE', 'RETIRING'], revoked: ['REVOKED'], all: [] };
const ORDERS = {
  newest: { field: 'CREATED_AT', direction: 'DESC' },
  oldest: { field: 'CREATED_AT', direction: 'ASC' },
  name: { field: 'NAME', direction: 'ASC' },
};
const Limits = ({ of: { perMinute, monthlyQuota } }) => html`
  <span class="stacked nowrap"><span>${t('limits.minute', { minute: count(perMinute) })}</span>
  <small>${monthlyQuota === null ? t('meter.no_cap') : t('limits.month', { month: count(monthlyQuota) })}</small></span>`;

function columns({ path, admin }) {
  const all = [
    {
      key: 'name', label: t('keys.name'),
      cell: (key) => html`
        <span class="stacked"><${Link} to=${path(key.id)} data-testid="key-link">${key.name}</${Link}><code>${key.prefix}</code></span>`,
    },
    {
      key: 'state', label: t('keys.state'),
      cell: (key) => html`<span class="badges"><${EnvironmentBadge} environment=${key.env} /><${KeyState} state=${key.state} /></span>`,
    },
    { key: 'limits', label: t('keys.limits'), cell: (key) => html`<${Limits} of=${key} />` },
    { key: 'month', label: t('keys.month'), cell: (key) => html`<${MonthMeter} of=${key} />` },
    { key: 'used', label: t('keys.used'), cell: (key) => html`<${Ago} at=${key.lastUsedAt} never=${t('keys.never')} />` },
  ];
  const owner = {
    key: 'owner', label: t('keys.owner'),
    cell: (key) => html`<${Link} to=${`/admin/keys?account=${key.accountId}`} title=${key.owner.issuer}>${key.owner.subject}</${Link}>`,
  };
  return admin ? [all[0], owner, ...all.slice(1)] : all;
}

export function Keys({ admin }) {
  const asked = place.get().query;
  const [text, setText] = useState(asked.get('text') ?? '');
  const [state, setState] = useState(asked.get('state') in STATES ? asked.get('state') : 'working');
  const [environment, setEnvironment] = useState(['LIVE', 'TEST'].includes(asked.get('env')) ? asked.get('env') : '');
  const [order, setOrder] = useState(asked.get('order') in ORDERS ? asked.get('order') : 'newest');
  const account = admin ? asked.get('account') : null;
  const settled = useDebounced(text.trim());
  useEffect(() => setQuery({
    text: settled, state: state === 'working' ? '' : state, env: environment, order: order === 'newest' ? '' : order, account,
  }), [settled, state, environment, order]);

  const scope = admin ? ALL : OWN;
  const filter = {
    ...(STATES[state].length && { states: STATES[state] }),
    ...(environment && { env: environment }),
    ...(settled && { text: settled }),
  };
  const variables = { filter, orderBy: ORDERS[order], ...(account && { accountId: account }) };
  const list = useConnection(scope.keys, variables, (data) => scope.of(data).keys);
  const filtered = Boolean(settled || environment || state !== 'working' || account);
  const clear = () => {
    setText('');
    setState('working');
    setEnvironment('');
  };

  return html`
    <${Page} title=${t(admin ? 'admin.keys' : 'nav.keys')} lead=${t(admin ? 'admin.keys_lead' : 'keys.lead')}
      actions=${!admin && html`<${CreateButton} />`}>
      <section class="panel" aria-label=${t('nav.keys')}>
        <div class="filters" role="search">
          <${Search} label=${t(admin ? 'keys.search_all' : 'keys.search')} value=${text} onInput=${setText} />
          <${Select} label=${t('keys.state')} value=${state} onChange=${setState}
            options=${Object.keys(STATES).map((each) => [each, t(`keys.state.${each}`)])} />
          <${Select} label=${t('keys.environment')} value=${environment} onChange=${setEnvironment}
            options=${[['', t('filter.all')], ['LIVE', t('environment.LIVE')], ['TEST', t('environment.TEST')]]} />
          <${Select} label=${t('keys.order')} value=${order} onChange=${setOrder}
            options=${Object.keys(ORDERS).map((each) => [each, t(`keys.order.${each}`)])} />
        </div>
        ${account && html`<p class="small"><${OfAccount} id=${account} all="/admin/keys" /></p>`}
        <${Listing} list=${list} label=${t('nav.keys')}
          columns=${columns({ admin, path: (id) => `${admin ? '/admin' : ''}/keys/${id}` })}
          rowProps=${(key) => ({ 'data-testid': 'key-row', 'data-key-id': key.id })}
          empty=${filtered
            ? html`<${Empty} title=${t('keys.no_match')} icon="key"><button type="button" onClick=${clear}>${t('filter.clear')}</button></${Empty}>`
            : html`<${Empty} title=${t('keys.none')} icon="key"><p class="muted">${t('keys.none_more')}</p></${Empty}>`} />
      </section>
    </${Page}>`;
}
