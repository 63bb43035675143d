// The batches of one's keys, with filters that stand in the address.

import { html, useEffect, useState } from '../lib.js';
import { BATCHES } from '../batch-queries.js';
import { t } from '../i18n.js';
import { isId } from '../ids.js';
import { useKeyNames } from '../key-names.js';
import { usePolling } from '../polling.js';
import { OWN } from '../queries.js';
import { Link, place, setQuery } from '../router.js';
import { useConnection } from '../use-query.js';
import { batchColumns, isOpen, OPEN_STATES, STATES } from '../components/batch-facts.js';
import { Empty } from '../components/feedback.js';
import { Select } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { KeyFilter } from '../components/key-filter.js';
import { Listing } from '../components/listing.js';
import { Page } from './page.js';

const OPEN = 'open';
const ENVIRONMENTS = ['LIVE', 'TEST'];

const oneOf = (options, given) => (options.includes(given) ? given : '');

const NewBatch = () => html`
  <${Link} class="button primary" to="/batches/new" data-testid="new-batch"><${Icon} name="plus" />${t('batches.new')}</${Link}>`;

export function Batches() {
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
  const list = useConnection(BATCHES, { first: 20, filter }, (data) => data.batches);
  const nodes = list.nodes ?? [];
  // A list that was paged through isn't read again by itself: it would lose its pages.
  usePolling(list.reload, !list.isPaged && nodes.some(isOpen));
  const keyOf = useKeyNames(OWN, nodes.map(({ keyId }) => keyId));
  const filtered = Object.keys(filter).length > 0;
  const any = ['', t('filter.all')];

  return html`
    <${Page} title=${t('nav.batches')} lead=${t('batches.lead')} actions=${html`<${NewBatch} />`}>
      <section class="panel" aria-label=${t('nav.batches')}>
        <div class="filters" role="search">
          <${Select} label=${t('batch.state')} value=${filters.state} onChange=${change('state')} testid="filter-state"
            options=${[any, [OPEN, t('batches.open')], ...STATES.map((each) => [each, t(`batch.state.${each}`)])]} />
          <${Select} label=${t('keys.environment')} value=${filters.env} onChange=${change('env')} testid="filter-environment"
            options=${[any, ...ENVIRONMENTS.map((each) => [each, t(`environment.${each}`)])]} />
          <${KeyFilter} scope=${OWN} value=${filters.key} onChange=${change('key')} />
        </div>
        <${Listing} list=${list} label=${t('nav.batches')} testid="batches-table" columns=${batchColumns(keyOf)}
          rowProps=${({ id }) => ({ 'data-testid': 'batch-row', 'data-batch-id': id })}
          empty=${filtered
            ? html`<${Empty} title=${t('batches.no_match')} icon="batches">
                <button type="button" onClick=${() => setFilters({ state: '', env: '', key: '' })}>${t('filter.clear')}</button></${Empty}>`
            : html`<${Empty} title=${t('batches.none')} icon="batches"><p class="muted">${t('batches.none_more')}</p></${Empty}>`} />
      </section>
    </${Page}>`;
}
