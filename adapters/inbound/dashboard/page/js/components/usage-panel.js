// Use over time with its totals: of everything, one key or one account.

import { html, useState } from '../lib.js';
import { count, percent, roughly } from '../format.js';
import { t } from '../i18n.js';
import { titleOf, useKeyNames } from '../key-names.js';
import { useQuery } from '../use-query.js';
import { Chart } from './chart.js';
import { Failed, Skeleton } from './feedback.js';
import { Select, Tabs } from './field.js';

const RANGES = {
  day: { granularity: 'HOUR', newest: 24 },
  month: { granularity: 'DAY', newest: 30 },
  year: { granularity: 'MONTH', newest: 12 },
};

// The order in which outcomes are stacked: what went well below.
const OUTCOMES = [
  'DELIVERED', 'RECEIPT_READ', 'AMBIGUOUS', 'NOT_IN_SPEI', 'PROOF_NOT_ISSUED', 'PAYMENT_IN_PROCESS', 'PAYMENT_RETURNED', 'PAYMENT_REJECTED', 'PAYMENT_CANCELED',
  'CANCELED', 'INVALID_REQUEST', 'INFERENCE_FAILED', 'RATE_LIMITED', 'QUOTA_EXCEEDED',
  'BANK_PROTOCOL_ERROR', 'BANK_UNAVAILABLE', 'BANK_THROTTLED', 'BANK_TIMEOUT', 'READER_UNAVAILABLE', 'INTERNAL_ERROR',
];

// Refusals by a limit are counted, and not kept one by one.
const REFUSALS = ['RATE_LIMITED', 'QUOTA_EXCEEDED'];
export const KEPT_OUTCOMES = OUTCOMES.filter((each) => !REFUSALS.includes(each));

export const ENDPOINTS = ['XML_AUTO', 'XML', 'PDF', 'PDF_AUTO', 'ZIP_AUTO', 'BASE64', 'XML_BASE64', 'JSON_AUTO', 'JSON', 'VERIFY', 'LOOKUPS', 'BATCHES', 'RECEIPTS'];

export const endpointName = (endpoint) => endpoint.toLowerCase();

const COLOURS = 8;

// Names and colours for what the server counted.
function drawn(report, keyOf) {
  const label = (one) => {
    if (one.others) return t('usage.others');
    if (one.outcome) return t(`outcome.${one.outcome}`);
    if (one.endpoint) return endpointName(one.endpoint);
    return one.keyId ? titleOf(keyOf(one.keyId)) : t('chart.requests');
  };
  const colour = (one, i) => {
    if (one.outcome) return `outcome-${one.outcome}`;
    return one.others ? 'series-others' : `series-${i % COLOURS}`;
  };
  const place = (one) => (one.outcome ? OUTCOMES.indexOf(one.outcome) : 0);
  return report.series
    .filter((one) => one.total > 0 || report.series.length === 1)
    .map((one, i) => ({
      id: one.outcome ?? one.endpoint ?? one.keyId ?? (one.others ? 'others' : 'total'),
      label: label(one),
      className: colour(one, i),
      counts: one.counts,
      total: one.total,
      place: place(one),
    }))
    .sort((a, b) => a.place - b.place);
}

export function UsagePanel({ scope, keyId = null, accountId, breakdowns }) {
  const [range, setRange] = useState('month');
  const [breakdown, setBreakdown] = useState('OUTCOME');
  const variables = { range: RANGES[range], breakdown, keyId, ...(accountId && { accountId }) };
  const { data, previous, error, loading, reload } = useQuery(scope.usage, variables, { live: true });
  const report = (data ?? (loading ? previous : undefined)) && scope.of(data ?? previous).usage;
  const keyOf = useKeyNames(scope, (report?.series ?? []).map((one) => one.keyId).filter(Boolean));

  return html`
    <section class="panel usage" aria-labelledby="usage-title">
      <header class="panel-head">
        <h2 id="usage-title">${t('usage.title')}</h2>
        <div class="panel-tools">
          ${breakdowns && html`
            <${Select} label=${t('usage.by')} value=${breakdown} onChange=${setBreakdown}
              options=${breakdowns.map((each) => [each, t(`breakdown.${each}`)])} />`}
          <${Tabs} label=${t('usage.range')} value=${range} onChange=${setRange}
            options=${Object.keys(RANGES).map((each) => [each, t(`range.${each}`)])} />
        </div>
      </header>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(report)} />`}
      ${!report ? !error && html`<${Skeleton} tall lines=${4} />`
        : html`
          <div class=${data ? '' : 'stale'} aria-busy=${loading ? 'true' : undefined}>
            <${Totals} totals=${report.totals} />
            <${Chart} slots=${report.slots} series=${drawn(report, keyOf)} granularity=${report.granularity}
              label=${t('chart.label', { range: t(`range.${range}`) })} />
            <p class="muted small">${t(report.granularity === 'HOUR' ? 'usage.local_time' : 'usage.utc')}${report.totals.latency && ` ${t('latency.rough')}`}</p>
          </div>`}
    </section>`;
}

function Totals({ totals }) {
  const { latency } = totals;
  const share = totals.successRate;
  return html`
    <dl class="tiles">
      <${Tile} label=${t('totals.requests')} value=${count(totals.requests)}
        note=${t('totals.breakdown', { delivered: count(totals.delivered), refused: count(totals.refused), failed: count(totals.failed) })} />
      <${Tile} label=${t('totals.success')} value=${share === null ? '—' : percent(share)} note=${t('totals.success_note')} />
      <${Tile} label=${t('totals.p50')} value=${latency ? roughly(latency.p50Ms) : '—'} note=${t('totals.p50_note')} />
      <${Tile} label=${t('totals.p95')} value=${latency ? roughly(latency.p95Ms) : '—'}
        note=${latency ? t('totals.p99', { value: roughly(latency.p99Ms) }) : t('totals.none')} />
    </dl>`;
}

const Tile = ({ label, value, note }) => html`
  <div class="tile"><dt>${label}</dt><dd class="tile-value">${value}</dd><dd class="tile-note">${note}</dd></div>`;
