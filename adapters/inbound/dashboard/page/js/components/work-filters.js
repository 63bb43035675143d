// Filters of stored lookups and of batches, which stand in the address: their state, environment and key.

import { html, useEffect, useState } from '../lib.js';
import { t } from '../i18n.js';
import { isId } from '../ids.js';
import { OWN } from '../queries.js';
import { oneOf, place, setQuery } from '../router.js';
import { Select } from './field.js';
import { KeyFilter } from './key-filter.js';

// Stands for all states that aren't final.
const OPEN = 'open';
const ENVIRONMENTS = ['LIVE', 'TEST'];
const NONE = { state: '', env: '', key: '' };

// `filter` is the filter as GraphQL takes it.
export function useWorkFilters({ states, openStates }) {
  const asked = place.get().query;
  const [values, setValues] = useState({
    state: oneOf([OPEN, ...states], asked.get('state')),
    env: oneOf(ENVIRONMENTS, asked.get('env')),
    key: isId(asked.get('key')) ? asked.get('key') : '',
  });
  useEffect(() => setQuery(values), [JSON.stringify(values)]);
  const filter = {
    ...(values.state && { states: values.state === OPEN ? openStates : [values.state] }),
    ...(values.env && { env: values.env }),
    ...(values.key && { keyId: values.key }),
  };
  const change = (name) => (value) => setValues((old) => ({ ...old, [name]: value }));
  return { values, filter, change, clear: () => setValues(NONE) };
}

// `topic` is the beginning of the names of states, `open` the text for those that aren't final.
export function WorkFilters({ of: { values, change }, states, topic, open }) {
  const any = ['', t('filter.all')];
  return html`
    <div class="filters" role="search">
      <${Select} label=${t('batch.state')} value=${values.state} onChange=${change('state')} testid="filter-state"
        options=${[any, [OPEN, open], ...states.map((each) => [each, t(`${topic}.${each}`)])]} />
      <${Select} label=${t('keys.environment')} value=${values.env} onChange=${change('env')} testid="filter-environment"
        options=${[any, ...ENVIRONMENTS.map((each) => [each, t(`environment.${each}`)])]} />
      <${KeyFilter} scope=${OWN} value=${values.key} onChange=${change('key')} />
    </div>`;
}
