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

export const Search = ({ label, value, onInput }) => html`
  <${Field} label=${label}>
    ${(control) => html`
      <input ...${control} type="search" value=${value} autocomplete="off" spellcheck=${false}
        onInput=${(event) => onInput(event.target.value)} data-testid="search" />`}
  </${Field}>`;
