// The key that a request is made with: pasted, or the test key that was just created.

import { html, useRef, useState } from '../lib.js';
import { t } from '../i18n.js';
import { freshTestKey } from '../memory.js';
import { useSignal } from '../signal.js';
import { Field } from './field.js';
import { Icon } from './icon.js';

// State of the field. `check` says why a key can't be used; `usable` returns the key, or puts the
// focus on what is wrong with it.
export function useKeyField(check) {
  const fresh = useSignal(freshTestKey);
  const [value, setValue] = useState(fresh?.secret ?? '');
  const [problem, setProblem] = useState(null);
  const input = useRef(null);
  const key = value.trim();
  const usable = () => {
    const wrong = check(key);
    setProblem(wrong);
    if (wrong) input.current.focus();
    return wrong ? null : key;
  };
  return { fresh, value, key, setValue, problem, input, usable };
}

export const KeyField = ({ of: { fresh, value, setValue, problem, input }, label, help, placeholder, testid }) => html`
  <${Field} label=${label} error=${problem}
    help=${fresh && value === fresh.secret ? t('try.key_fresh', { name: fresh.key.name }) : help}>
    ${(control) => html`
      <input ...${control} ref=${input} class="mono" type="password" autocomplete="off" spellcheck=${false} placeholder=${placeholder}
        value=${value} onInput=${(event) => setValue(event.target.value)} data-testid=${testid} />`}
  </${Field}>
  ${fresh && value !== fresh.secret && html`
    <button type="button" class="small" onClick=${() => setValue(fresh.secret)}><${Icon} name="key" />${t('try.use_fresh', { name: fresh.key.name })}</button>`}`;
