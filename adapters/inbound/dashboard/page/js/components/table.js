// A table that becomes a list of cards on a phone. The roles are said again, because a table whose
// display is changed is no table to a screen reader.

import { html } from '../lib.js';

// `columns`: { key, label, cell(row), tone }; the first one heads its row.
export function Table({ label, columns, rows, rowProps = () => ({}), testid }) {
  const cell = (column, row, i) => {
    const tag = i === 0 ? 'th' : 'td';
    const role = i === 0 ? 'rowheader' : 'cell';
    return html`
      <${tag} key=${column.key} role=${role} scope=${i === 0 ? 'row' : undefined} class=${column.tone} data-label=${column.label}>
        ${column.cell(row)}
      </${tag}>`;
  };
  return html`
    <table class="cards" role="table" aria-label=${label} data-testid=${testid}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map((column) => html`<th key=${column.key} role="columnheader" scope="col" class=${column.tone}>${column.label}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => html`<tr key=${row.id} role="row" ...${rowProps(row)}>${columns.map((column, i) => cell(column, row, i))}</tr>`)}
      </tbody>
    </table>`;
}
