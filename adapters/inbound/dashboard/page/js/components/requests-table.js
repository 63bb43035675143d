// Requests, one a row.

import { html } from '../lib.js';
import { duration } from '../format.js';
import { t } from '../i18n.js';
import { KeyLink, RequestId, RequestOutcome, Time } from './facts.js';
import { endpointName } from './usage-panel.js';

const bank = (participant) => (participant ? participant.name : '—');

export function requestColumns({ keyOf, keyPath }) {
  const columns = [
    { key: 'at', label: t('request.at'), cell: (row) => html`<${Time} at=${row.at} />` },
    {
      key: 'outcome', label: t('request.outcome'),
      cell: (row) => html`<${RequestOutcome} of=${row} />`,
    },
    { key: 'endpoint', label: t('request.endpoint'), cell: (row) => html`<code>${endpointName(row.endpoint)}</code>` },
    {
      key: 'duration', label: t('request.duration'), tone: 'number',
      cell: (row) => html`
        <span class="stacked"><span>${duration(row.durationMs)}</span>
        ${row.bankMs !== null && html`<small>${t('request.bank_time', { time: duration(row.bankMs) })}</small>`}</span>`,
    },
    {
      key: 'banks', label: t('request.banks'),
      cell: (row) => (row.issuer || row.receiver
        ? html`<span class="banks-cell">${bank(row.issuer)} <span aria-hidden="true">→</span><span class="visually-hidden">${t('request.to')}</span> ${bank(row.receiver)}</span>`
        : html`<span class="muted">—</span>`),
    },
    { key: 'id', label: t('request.id'), cell: (row) => html`<${RequestId} id=${row.requestId} />` },
  ];
  if (!keyPath) return columns;
  const key = {
    key: 'key', label: t('request.key'),
    cell: (row) => html`<${KeyLink} to=${keyPath(row.keyId)} subject=${keyOf(row.keyId)} />`,
  };
  return [...columns.slice(0, 3), key, ...columns.slice(3)];
}
