// One key out of all: a list, and a search beside it where there are too many for a list.

import { html, useRef, useState } from '../lib.js';
import { count } from '../format.js';
import { t } from '../i18n.js';
import { isId } from '../ids.js';
import { titleOf, useKeyNames } from '../key-names.js';
import { useQuery } from '../use-query.js';
import { Select } from './field.js';
import { Search, useDebounced } from './search.js';

// A successor has the name of the key that it replaces; their prefixes tell them apart.
function titled(keys) {
  const titles = keys.map(titleOf);
  const isShared = (title) => titles.indexOf(title) !== titles.lastIndexOf(title);
  return keys
    .map(({ id, prefix }, i) => [id, prefix && isShared(titles[i]) ? `${titles[i]} · ${prefix}` : titles[i]])
    .sort((a, b) => a[1].localeCompare(b[1]));
}

export function KeyFilter({ scope, value, onChange }) {
  const [text, setText] = useState('');
  const settled = useDebounced(text.trim());
  const words = isId(settled) ? '' : settled;
  const { data, previous } = useQuery(scope.briefs, { filter: words ? { text: words } : null });
  const keyOf = useKeyNames(scope, value ? [value] : []);
  const crowded = useRef(false);

  const found = (data ?? previous) && scope.of(data ?? previous).keys;
  if (data && !words) crowded.current = found.totalCount > found.nodes.length;
  const keys = found?.nodes ?? [];
  const chosen = value && !keys.some(({ id }) => id === value) ? [keyOf(value)] : [];

  const isPart = found && found.totalCount > keys.length;
  const part = isPart && t('list.shown_of', { shown: count(keys.length), total: count(found.totalCount) });
  const label = part ? `${t('request.key')} (${part})` : t('request.key');

  const search = (typed) => {
    setText(typed);
    if (isId(typed.trim())) onChange(typed.trim());
  };
  return html`
    ${crowded.current && html`
      <${Search} label=${t(scope.search)} value=${text} onInput=${search} testid="filter-key-search" />`}
    <${Select} label=${label} value=${value} onChange=${onChange} testid="filter-key"
      options=${[['', t('filter.all')], ...titled([...chosen, ...keys])]} />`;
}
