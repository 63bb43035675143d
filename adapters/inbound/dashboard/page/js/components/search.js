// A search field, and a value that waits until nobody types.

import { html, useEffect, useState } from '../lib.js';
import { Field } from './field.js';

const TYPING = 250;

export function useDebounced(value) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

// Longer texts are no search to the server.
const MAX_CHARACTERS = 200;

export const Search = ({ label, value, onInput, error, testid = 'search' }) => html`
  <${Field} label=${label} error=${error}>
    ${(control) => html`
      <input ...${control} type="search" value=${value} maxlength=${MAX_CHARACTERS} autocomplete="off" spellcheck=${false}
        onInput=${(event) => onInput(event.target.value)} data-testid=${testid} />`}
  </${Field}>`;
