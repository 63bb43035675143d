// A refused request: the error, what to check, and when to try again.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Notice } from './feedback.js';

export function Refusal({ result }) {
  const { error, status } = result;
  const { hints = [], fields = [], rows = [], file, retry_after: wait } = error.details ?? {};
  return html`
    <${Notice} tone=${status !== null && status < 500 && status !== 401 ? 'warn' : 'bad'}>
      ${status !== null && html`<p><strong>${status} ${error.error}</strong></p>`}
      <p>${error.message}</p>
      ${file && html`<p>${file.message}${file.element && html` <code>${file.element}</code>`}</p>`}
    </${Notice}>
    ${hints.length > 0 && html`
      <h3>${t('try.hints')}</h3>
      <ul class="hints">${hints.map(({ code, message }) => html`<li key=${code}>${message}</li>`)}</ul>`}
    ${fields.length > 0 && html`
      <h3>${t('try.faults')}</h3>
      <ul class="hints">${fields.map(({ field, message }) => html`<li key=${field}><code>${field}</code>: ${message}</li>`)}</ul>`}
    ${rows.length > 0 && html`
      <ul class="hints">${rows.map(({ line, field, message }) => html`<li key=${`${line} ${field}`}>${t('refusal.line', { line })} <code>${field}</code>: ${message}</li>`)}</ul>`}
    ${wait !== undefined && html`<p class="small">${t('try.retry_after', { seconds: wait })}</p>`}`;
}

export const RequestIdLine = ({ id }) => html`
  <p class="muted small">${t('error.request_id')} <code class="id">${id}</code></p>`;
