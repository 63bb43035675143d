// The key of the account that requests with the session are charged to.

import { html, useState } from '../lib.js';
import { t } from '../i18n.js';
import { keep, remembered } from '../storage.js';
import { Select } from './field.js';

const NAME = 'charged_key';

export const keyTitle = ({ name, env, prefix }) => `${name} · ${t(`environment.${env}`)} · ${prefix}`;

// The one that was chosen last, while it can be used; the first live one otherwise.
function usualKey(keys) {
  const last = remembered(NAME);
  return keys.find(({ id }) => id === last) ?? keys.find(({ env }) => env === 'LIVE') ?? keys[0];
}

// State of the choice among these keys.
export function useChargedKey(keys) {
  const [chosen, setChosen] = useState(null);
  const choose = (id) => {
    keep(NAME, id);
    setChosen(id);
  };
  return { key: keys.find(({ id }) => id === chosen) ?? usualKey(keys), choose };
}

// Of one key there is nothing to choose.
export const ChargedKey = ({ keys, of: { key, choose }, label, testid }) => keys.length > 1 && html`
  <${Select} label=${label} value=${key.id} onChange=${choose} testid=${testid} options=${keys.map((each) => [each.id, keyTitle(each)])} />`;
