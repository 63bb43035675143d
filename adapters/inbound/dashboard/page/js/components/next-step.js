// What the owner of a lookup does next, and what there is to check in its question.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Notice } from './feedback.js';

const Hints = ({ of: hints }) => html`
  <ul class="hints" data-testid="hints">${hints.map(({ code, message }) => html`<li key=${code}>${message}</li>`)}</ul>`;

export const NextStep = ({ of: { whatToDo, hints }, tone }) => whatToDo && html`
  <section aria-label=${t('lookup.what_to_do')} data-testid="next-step">
    <${Notice} tone=${tone}>
      <p><strong>${t('lookup.what_to_do')}</strong></p>
      <p>${whatToDo}</p>
    </${Notice}>
    ${hints.length > 0 && html`<h3>${t('try.hints')}</h3><${Hints} of=${hints} />`}
  </section>`;

// The same in a cell of a table.
export const ShortNextStep = ({ of: { whatToDo, hints } }) => html`
  ${whatToDo && html`<span class="break">${whatToDo}</span>`}
  ${hints.length > 0 && html`<details class="more small"><summary>${t('try.hints')}</summary><${Hints} of=${hints} /></details>`}`;
