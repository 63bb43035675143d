// A refused request: the error, what to check, and when to try again.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Fault } from './fault.js';
import { Notice } from './feedback.js';

export function Refusal({ result }) {
  const { error, status } = result;
  const { hints = [], fields = [], rows = [], reasons = {}, file, retry_after: wait } = error.details ?? {};
  const gaps = Object.entries(reasons).filter(([, gap]) => gap);
  return html`
    <${Notice} tone=${status !== null && status < 500 && status !== 401 ? 'warn' : 'bad'}>
      <p><strong>${gaps.length > 0 ? t('try.gaps') : error.message}</strong></p>
      ${file && html`<p>${file.message}${file.element && html` <code>${file.element}</code>`}</p>`}
      ${status !== null && html`<p class="small">${t('refusal.code', { code: `${status} ${error.error}` })}</p>`}
    </${Notice}>
    ${gaps.length > 0 && html`
      <ul class="hints" data-testid="gaps">${gaps.map(([field, { message }]) => html`<li key=${field}><${Fault} field=${field} message=${message} /></li>`)}</ul>`}
    ${hints.length > 0 && html`
      <h3>${t('try.hints')}</h3>
      <ul class="hints">${hints.map(({ code, message }) => html`<li key=${code}>${message}</li>`)}</ul>`}
    ${fields.length > 0 && html`
      <h3>${t('try.faults')}</h3>
      <ul class="hints">${fields.map(({ field, message }) => html`<li key=${field}><${Fault} field=${field} message=${message} /></li>`)}</ul>`}
    ${rows.length > 0 && html`
      <ul class="hints">${rows.map(({ line, field, message }) => html`<li key=${`${line} ${field}`}>${t('refusal.line', { line })} <${Fault} field=${field} message=${message} /></li>`)}</ul>`}
    ${wait !== undefined && html`<p class="small">${t('try.retry_after', { seconds: wait })}</p>`}`;
}

export const RequestIdLine = ({ id }) => html`
  <p class="muted small">${t('error.request_id')} <code class="id">${id}</code></p>`;
