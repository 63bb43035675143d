// Every request that is kept, with filters that stand in the address.

import { html, useEffect, useState } from '../lib.js';
import { t } from '../i18n.js';
import { isId, isRequestId } from '../ids.js';
import { useKeyNames } from '../key-names.js';
import { ALL, OWN } from '../queries.js';
import { oneOf, place, setQuery } from '../router.js';
import { useConnection } from '../use-query.js';
import { Empty } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { KeyFilter } from '../components/key-filter.js';
import { Listing } from '../components/listing.js';
import { requestColumns } from '../components/requests-table.js';
import { Search, useDebounced } from '../components/search.js';
import { endpointName, ENDPOINTS, KEPT_OUTCOMES } from '../components/usage-panel.js';
import { Page } from './page.js';

const DAY = 86_400_000;
const SPANS = { day: 1, week: 7, month: 30 };

// To the hour, so that the same filter is the same question for a while.
const since = (span) => new Date(Math.floor((Date.now() - SPANS[span] * DAY) / 3_600_000) * 3_600_000).toISOString();

export function Requests({ admin }) {
  const asked = place.get().query;
  const [filters, setFilters] = useState({
    key: isId(asked.get('key')) ? asked.get('key') : '',
    endpoint: oneOf(ENDPOINTS, asked.get('endpoint')),
    outcome: oneOf(KEPT_OUTCOMES, asked.get('outcome')),
    span: oneOf(Object.keys(SPANS), asked.get('span')),
    id: asked.get('id') ?? '',
  });
  const change = (name) => (value) => setFilters((old) => ({ ...old, [name]: value }));
  const id = useDebounced(filters.id.trim());
  useEffect(() => setQuery({ ...filters, id }), [JSON.stringify(filters), id]);

  const scope = admin ? ALL : OWN;
  const filter = {
    ...(filters.key && { keyId: filters.key }),
    ...(filters.endpoint && { endpoint: filters.endpoint }),
    ...(filters.outcome && { outcome: filters.outcome }),
    ...(filters.span && { from: since(filters.span) }),
    ...(isRequestId(id) && { requestId: id }),
  };
  const list = useConnection(scope.requests, { first: 20, filter }, (data) => scope.of(data).requests);
  const keyOf = useKeyNames(scope, (list.nodes ?? []).map(({ keyId }) => keyId));
  const filtered = Object.keys(filter).length > 0;
  const clear = () => setFilters({ key: '', endpoint: '', outcome: '', span: '', id: '' });
  const any = ['', t('filter.all')];

  return html`
    <${Page} title=${t(admin ? 'admin.requests' : 'nav.requests')} lead=${t('requests.lead')}>
      <section class="panel" aria-label=${t('nav.requests')}>
        <div class="filters" role="search">
          <${KeyFilter} scope=${scope} value=${filters.key} onChange=${change('key')} />
          <${Select} label=${t('request.endpoint')} value=${filters.endpoint} onChange=${change('endpoint')} testid="filter-endpoint"
            options=${[any, ...ENDPOINTS.map((each) => [each, endpointName(each)])]} />
          <${Select} label=${t('request.outcome')} value=${filters.outcome} onChange=${change('outcome')} testid="filter-outcome"
            options=${[any, ...KEPT_OUTCOMES.map((each) => [each, t(`outcome.${each}`)])]} />
          <${Select} label=${t('filter.span')} value=${filters.span} onChange=${change('span')} testid="filter-span"
            options=${[any, ...Object.keys(SPANS).map((each) => [each, t(`span.${each}`)])]} />
          <${Search} label=${t('request.id')} value=${filters.id} onInput=${change('id')}
            error=${id && !isRequestId(id) ? t('filter.request_id_shape') : undefined} />
        </div>
        <${Listing} list=${list} label=${t('nav.requests')} testid="requests-table"
          columns=${requestColumns({ keyOf, keyPath: (each) => `${admin ? '/admin' : ''}/keys/${each}` })}
          empty=${filtered
            ? html`<${Empty} title=${t('requests.no_match')} icon="requests"><button type="button" onClick=${clear}>${t('filter.clear')}</button></${Empty}>`
            : html`<${Empty} title=${t('recent.none')} icon="requests"><p class="muted">${t('recent.none_more')}</p></${Empty}>`} />
      </section>
    </${Page}>`;
}
