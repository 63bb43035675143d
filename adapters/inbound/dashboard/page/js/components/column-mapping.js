// Assignment of a table's columns to fields, as it was recognised and as a person corrects it.

import { html } from '../lib.js';
import { COLUMNS, NEEDED, TOLD_BY } from '../batch-requests.js';
import { isMissing, NOWHERE, placesOf } from '../column-choices.js';
import { t } from '../i18n.js';
import { Field } from './field.js';

// By its header; a column without one by its number and its first value.
function nameOf({ number, header, samples }) {
  if (header) return `${header} (${number})`;
  return [t('columns.number', { number }), samples[0]].filter(Boolean).join(': ');
}

// `columns` as the server recognised them, `unclear` the fields for which it found none or several; `onChange`
// gets the field and the number that a person chose.
export function ColumnMapping({ columns, choices, unclear, onChange }) {
  const places = placesOf(columns, choices);
  // Those of bank statements alone, once the table is one or lacks what they tell.
  const ofStatements = Object.values(TOLD_BY).flat();
  const lacking = NEEDED.some((field) => !places[field]);
  const isShown = (field) => lacking || field in places || !ofStatements.includes(field);
  return html`
    <fieldset class="mapping" data-testid="columns">
      <legend>${t('columns.title')}</legend>
      <p class="help">${t('columns.help')}</p>
      <div class="form-grid">
        ${COLUMNS.filter(isShown).map((field) => html`
          <${Column} key=${field} field=${field} columns=${columns} place=${places[field]} missing=${places[field] === undefined && (isMissing(field, places) || (unclear.includes(field) && !NEEDED.includes(field)))} onChange=${onChange} />`)}
      </div>
    </fieldset>`;
}

function Column({ field, columns, place, missing, onChange }) {
  const needed = NEEDED.includes(field) && (missing || place !== undefined);
  const value = place ?? (missing ? '' : NOWHERE);
  const samples = columns.find(({ number }) => number === place)?.samples ?? [];
  const options = [
    ...(missing ? [['', t('columns.choose')]] : []),
    ...(needed ? [] : [[NOWHERE, t('columns.none')]]),
    ...columns.map((column) => [column.number, nameOf(column)]),
  ];
  return html`
    <${Field} label=${t(`columns.${field}`)} help=${samples.join(' · ')} error=${missing ? t('columns.missing') : undefined}>
      ${(control) => html`
        <select ...${control} value=${value} data-testid=${`column-${field}`}
          onChange=${({ target }) => target.value && onChange(field, Number(target.value))}>
          ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
        </select>`}
    </${Field}>`;
}
