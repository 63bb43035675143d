// The stored lookups of one's keys, with filters that stand in the address.

import { html } from '../lib.js';
import { lookupCurlLine } from '../curl.js';
import { t } from '../i18n.js';
import { useKeyNames } from '../key-names.js';
import { usePolling } from '../polling.js';
import { LOOKUPS, OWN } from '../queries.js';
import { useConnection } from '../use-query.js';
import { CopyButton } from '../components/copy-button.js';
import { Empty } from '../components/feedback.js';
import { Listing, Refresh } from '../components/listing.js';
import { isOpen, lookupColumns, OPEN_STATES, STATES } from '../components/lookup-facts.js';
import { useWorkFilters, WorkFilters } from '../components/work-filters.js';
import { Page } from './page.js';

export function Lookups() {
  const filters = useWorkFilters({ states: STATES, openStates: OPEN_STATES });
  const { filter } = filters;
  const list = useConnection(LOOKUPS, { first: 20, filter }, (data) => data.lookups, { live: true });
  const nodes = list.nodes ?? [];
  usePolling(list.reload, !list.isPaged && nodes.some(isOpen));
  const keyOf = useKeyNames(OWN, nodes.map(({ keyId }) => keyId));
  const filtered = Object.keys(filter).length > 0;
  return html`
    <${Page} title=${t('nav.lookups')} lead=${t('lookups.lead')} actions=${html`<${Refresh} of=${list} />`}>
      <section class="panel" aria-label=${t('nav.lookups')}>
        <${WorkFilters} of=${filters} states=${STATES} topic="lookup.state" open=${t('lookups.open')} />
        <${Listing} list=${list} label=${t('nav.lookups')} testid="lookups-table" columns=${lookupColumns(keyOf)}
          rowProps=${({ id }) => ({ 'data-testid': 'lookup-row', 'data-lookup-id': id })}
          empty=${filtered
            ? html`<${Empty} title=${t('lookups.no_match')} icon="lookups">
                <button type="button" onClick=${filters.clear}>${t('filter.clear')}</button></${Empty}>`
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
