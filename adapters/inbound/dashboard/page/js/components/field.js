// Labelled inputs that carry their help and their errors.

import { html, useId } from '../lib.js';

export function Field({ label, help, error, children }) {
  const id = useId();
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ');
  const control = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? 'true' : undefined,
  };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${children(control)}
      ${help && html`<p class="help" id=${`${id}-help`}>${help}</p>`}
      ${error && html`<p class="field-error" id=${`${id}-error`}>${error}</p>`}
    </div>`;
}

export const Select = ({ label, value, options, onChange, testid }) => html`
  <${Field} label=${label}>
    ${(control) => html`
      <select ...${control} value=${value} onChange=${(event) => onChange(event.target.value)} data-testid=${testid}>
        ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
      </select>`}
  </${Field}>`;

// One of a few: radio buttons that look like cards.
export const Choice = ({ legend, name, value, options, onChange, testid }) => html`
  <fieldset class="choice" data-testid=${testid}>
    <legend>${legend}</legend>
    <div class="choice-options">
      ${options.map(({ key, label, help, testid: own }) => html`
        <label key=${key}>
          <input type="radio" name=${name} value=${key} checked=${key === value} onChange=${() => onChange(key)} data-testid=${own} />
          <span><strong>${label}</strong>${help && html`<small>${help}</small>`}</span>
        </label>`)}
    </div>
  </fieldset>`;

// Like `Choice`, in one line.
export const Tabs = ({ label, value, options, onChange }) => html`
  <div class="tabs" role="group" aria-label=${label}>
    ${options.map(([key, text]) => html`
      <button key=${key} type="button" aria-pressed=${key === value ? 'true' : 'false'} onClick=${() => onChange(key)}>${text}</button>`)}
  </div>`;
