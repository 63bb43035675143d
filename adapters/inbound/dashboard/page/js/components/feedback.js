// Feedback of a view that has nothing, has nothing yet, or failed.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Icon } from './icon.js';

export const Skeleton = ({ lines = 3, tall }) => html`
  <div class=${`skeleton ${tall ? 'tall' : ''}`} role="status">
    <span class="visually-hidden">${t('state.loading')}</span>
    ${Array.from({ length: lines }, (_, i) => html`<span key=${i} class="bone" aria-hidden="true"></span>`)}
  </div>`;

// `stale`: an older answer is still shown beside it.
export const Failed = ({ error, retry, stale }) => html`
  <div class=${stale ? 'notice warn outdated' : 'notice bad'} role="alert" data-testid=${stale ? 'stale' : undefined}>
    <${Icon} name="warning" />
    <div>
      <p><strong>${t(stale ? 'error.stale' : 'error.title')}</strong> ${error.message}</p>
      ${error.requestId && html`<p class="small">${t('error.request_id')} <code>${error.requestId}</code></p>`}
      ${retry && html`<button type="button" class="small" onClick=${retry}><${Icon} name="refresh" />${t('action.retry')}</button>`}
    </div>
  </div>`;

export const Empty = ({ title, children, icon = 'info' }) => html`
  <div class="empty">
    <span class="empty-mark"><${Icon} name=${icon} /></span>
    <p class="empty-title">${title}</p>
    ${children}
  </div>`;

const MARKS = { info: 'info', ok: 'check', warn: 'warning', bad: 'warning' };

export const Notice = ({ tone = 'info', children, testid }) => html`
  <div class=${`notice ${tone}`} data-testid=${testid}>
    <${Icon} name=${MARKS[tone]} />
    <div>${children}</div>
  </div>`;
