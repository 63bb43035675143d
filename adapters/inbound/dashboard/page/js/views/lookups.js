// The stored lookups of one's keys, with filters that stand in the address.

import { html, useEffect, useState } from '../lib.js';
import { lookupCurlLine } from '../curl.js';
import { t } from '../i18n.js';
import { isId } from '../ids.js';
import { useKeyNames } from '../key-names.js';
import { usePolling } from '../polling.js';
import { LOOKUPS, OWN } from '../queries.js';
import { place, setQuery } from '../router.js';
import { useConnection } from '../use-query.js';
import { CopyButton } from '../components/copy-button.js';
import { Empty } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { KeyFilter } from '../components/key-filter.js';
import { Listing } from '../components/listing.js';
import { isOpen, lookupColumns, OPEN_STATES, STATES } from '../components/lookup-facts.js';
import { Page } from './page.js';

const OPEN = 'open';
const ENVIRONMENTS = ['LIVE', 'TEST'];

const oneOf = (options, given) => (options.includes(given) ? given : '');

export function Lookups() {
  const asked = place.get().query;
  const [filters, setFilters] = useState({
    state: oneOf([OPEN, ...STATES], asked.get('state')),
    env: oneOf(ENVIRONMENTS, asked.get('env')),
    key: isId(asked.get('key')) ? asked.get('key') : '',
  });
  const change = (name) => (value) => setFilters((old) => ({ ...old, [name]: value }));
  useEffect(() => setQuery(filters), [JSON.stringify(filters)]);

  const filter = {
    ...(filters.state && { states: filters.state === OPEN ? OPEN_STATES : [filters.state] }),
    ...(filters.env && { environment: filters.env }),
    ...(filters.key && { keyId: filters.key }),
  };
  const list = useConnection(LOOKUPS, { first: 20, filter }, (data) => data.lookups);
  const nodes = list.nodes ?? [];
  // A list that was paged through isn't read again by itself: it would lose its pages.
  usePolling(list.reload, !list.isPaged && nodes.some(isOpen));
  const keyOf = useKeyNames(OWN, nodes.map(({ keyId }) => keyId));
  const filtered = Object.keys(filter).length > 0;
  const any = ['', t('filter.all')];

  return html`
    <${Page} title=${t('nav.lookups')} lead=${t('lookups.lead')}>
      <section class="panel" aria-label=${t('nav.lookups')}>
        <div class="filters" role="search">
          <${Select} label=${t('lookup.state')} value=${filters.state} onChange=${change('state')} testid="filter-state"
            options=${[any, [OPEN, t('lookups.open')], ...STATES.map((each) => [each, t(`lookup.state.${each}`)])]} />
          <${Select} label=${t('keys.environment')} value=${filters.env} onChange=${change('env')} testid="filter-environment"
            options=${[any, ...ENVIRONMENTS.map((each) => [each, t(`environment.${each}`)])]} />
          <${KeyFilter} scope=${OWN} value=${filters.key} onChange=${change('key')} />
        </div>
        <${Listing} list=${list} label=${t('nav.lookups')} testid="lookups-table" columns=${lookupColumns(keyOf)}
          rowProps=${({ id }) => ({ 'data-testid': 'lookup-row', 'data-lookup-id': id })}
          empty=${filtered
            ? html`<${Empty} title=${t('lookups.no_match')} icon="lookups">
                <button type="button" onClick=${() => setFilters({ state: '', env: '', key: '' })}>${t('filter.clear')}</button></${Empty}>`
            : html`<${None} />`} />
      </section>
    </${Page}>`;
}

function None() {
  const line = lookupCurlLine('cep_test_…');
  return html`
    <${Empty} title=${t('lookups.none')} icon="lookups">
      <p class="muted">${t('lookups.none_more')}</p>
      <pre class="curl" tabindex="0" data-testid="lookup-curl">${line}</pre>
      <${CopyButton} text=${line} label=${t('reveal.copy_curl')} />
    </${Empty}>`;
}
