// Filters of a batch's rows, which stand in the address: a text, their state, and the field of their mistakes.

import { html, useEffect, useState } from '../lib.js';
import { COLUMNS } from '../batch-requests.js';
import { t } from '../i18n.js';
import { oneOf, place, setQuery } from '../router.js';
import { Select } from './field.js';
import { Search, useDebounced } from './search.js';

// What can be chosen, as GraphQL takes it. A file whose seal isn't valid is no proof.
const CHOICES = {
  PROVEN: { states: ['DELIVERED'], seal: 'VALID' },
  SEAL_INVALID: { seal: 'INVALID' },
  SEAL_NOT_CHECKED: { seal: 'NOT_CHECKED' },
  AMBIGUOUS: { states: ['AMBIGUOUS'] },
  NOT_FOUND: { states: ['NOT_FOUND'] },
  EXPIRED: { states: ['EXPIRED'] },
  FAILED: { states: ['FAILED'] },
  FAULTY: { states: ['FAULTY'] },
  DUPLICATE: { states: ['DUPLICATE'] },
  WAITING: { states: ['WAITING'] },
  OPEN: { states: ['NOT_BEGUN', 'QUEUED', 'RUNNING'] },
  CANCELED: { states: ['CANCELED'] },
  ERASED: { states: ['ERASED'] },
};

// Bank statements have their own columns; no mistake is theirs.
const FIELDS = COLUMNS.slice(0, 8);

const NONE = { text: '', rows: '', fault: '' };

// `filter` is the filter as GraphQL takes it.
export function useRowFilters() {
  const asked = place.get().query;
  const [values, setValues] = useState({
    text: asked.get('text') ?? '',
    rows: oneOf(Object.keys(CHOICES), asked.get('rows')),
    fault: oneOf(FIELDS, asked.get('fault')),
  });
  useEffect(() => setQuery(values), [JSON.stringify(values)]);
  const text = useDebounced(values.text.trim());
  const filter = { ...CHOICES[values.rows], ...(values.fault && { fault: values.fault }), ...(text && { text }) };
  const change = (name) => (value) => setValues((old) => ({ ...old, [name]: value }));
  return { values, filter, change, clear: () => setValues(NONE) };
}

// `faulty`: the batch has rows with mistakes.
export function RowFilters({ of: { values, change }, faulty }) {
  const any = ['', t('filter.all')];
  return html`
    <div class="filters" role="search">
      <${Search} label=${t('row.search')} value=${values.text} onInput=${change('text')} testid="rows-search" />
      <${Select} label=${t('batch.state')} value=${values.rows} onChange=${change('rows')} testid="rows-state"
        options=${[any, ...Object.keys(CHOICES).map((each) => [each, t(`row.choice.${each}`)])]} />
      ${(faulty || values.fault) && html`
        <${Select} label=${t('row.fault')} value=${values.fault} onChange=${change('fault')} testid="rows-fault"
          options=${[any, ...FIELDS.map((each) => [each, t(`given.${each}`)])]} />`}
    </div>`;
}
