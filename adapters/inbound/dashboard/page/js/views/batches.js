// The batches of one's keys, with filters that stand in the address.

import { html } from '../lib.js';
import { BATCHES } from '../batch-queries.js';
import { t } from '../i18n.js';
import { useKeyNames } from '../key-names.js';
import { usePolling } from '../polling.js';
import { OWN } from '../queries.js';
import { Link } from '../router.js';
import { useConnection } from '../use-query.js';
import { batchColumns, isOpen, OPEN_STATES, STATES } from '../components/batch-facts.js';
import { Empty } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Listing, Refresh } from '../components/listing.js';
import { useWorkFilters, WorkFilters } from '../components/work-filters.js';
import { Page } from './page.js';

const NewBatch = () => html`
  <${Link} class="button primary" to="/batches/new" data-testid="new-batch"><${Icon} name="plus" />${t('batches.new')}</${Link}>`;

export function Batches() {
  const filters = useWorkFilters({ states: STATES, openStates: OPEN_STATES });
  const { filter } = filters;
  const list = useConnection(BATCHES, { first: 20, filter }, (data) => data.batches, { live: true });
  const nodes = list.nodes ?? [];
  usePolling(list.reload, !list.isPaged && nodes.some(isOpen));
  const keyOf = useKeyNames(OWN, nodes.map(({ keyId }) => keyId));
  const filtered = Object.keys(filter).length > 0;
  return html`
    <${Page} title=${t('nav.batches')} lead=${t('batches.lead')} actions=${html`<${Refresh} of=${list} /><${NewBatch} />`}>
      <section class="panel" aria-label=${t('nav.batches')}>
        <${WorkFilters} of=${filters} states=${STATES} topic="batch.state" open=${t('batches.open')} />
        <${Listing} list=${list} label=${t('nav.batches')} testid="batches-table" columns=${batchColumns(keyOf)}
          rowProps=${({ id }) => ({ 'data-testid': 'batch-row', 'data-batch-id': id })}
          empty=${filtered
            ? html`<${Empty} title=${t('batches.no_match')} icon="batches">
                <button type="button" onClick=${filters.clear}>${t('filter.clear')}</button></${Empty}>`
            : html`<${Empty} title=${t('batches.none')} icon="batches"><p class="muted">${t('batches.none_more')}</p></${Empty}>`} />
      </section>
    </${Page}>`;
}
