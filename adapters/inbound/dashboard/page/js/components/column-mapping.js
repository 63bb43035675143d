// Which column of a table holds which field, as it was recognised and as a person corrects it.

import { html } from '../lib.js';
import { COLUMNS, NEEDED } from '../batch-requests.js';
import { t } from '../i18n.js';
import { Field } from './field.js';

const nameOf = ({ number, header }) => (header ? `${header} (${number})` : t('columns.number', { number }));

// `columns` as the server recognised them; `onChange` gets the field and the number that a person chose.
export function ColumnMapping({ columns, onChange }) {
  return html`
    <fieldset class="mapping" data-testid="columns">
      <legend>${t('columns.title')}</legend>
      <p class="help">${t('columns.help')}</p>
      <div class="form-grid">
        ${COLUMNS.map((field) => html`<${Column} key=${field} field=${field} columns=${columns} onChange=${onChange} />`)}
      </div>
    </fieldset>`;
}

function Column({ field, columns, onChange }) {
  const number = columns.find((column) => column.field === field)?.number ?? '';
  const needed = NEEDED.includes(field);
  const missing = needed && number === '';
  // What was recognised can be another column, but not none.
  const none = number === '' ? [['', t(needed ? 'columns.choose' : 'columns.none')]] : [];
  const options = [...none, ...columns.map((column) => [column.number, nameOf(column)])];
  return html`
    <${Field} label=${t(`columns.${field}`)} error=${missing ? t('columns.missing') : undefined}>
      ${(control) => html`
        <select ...${control} value=${number} data-testid=${`column-${field}`}
          onChange=${({ target }) => target.value && onChange(field, Number(target.value))}>
          ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === number}>${text}</option>`)}
        </select>`}
    </${Field}>`;
}
