// The rows of a batch, some at a time, in their order.

import { html, useEffect, useRef, useState } from '../lib.js';
import { BATCH_ROWS } from '../batch-queries.js';
import { count, dateTime, money } from '../format.js';
import { t, tn } from '../i18n.js';
import { usePolling } from '../polling.js';
import { Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { OutcomeBadge } from './facts.js';
import { Fault } from './fault.js';
import { Failed, Skeleton } from './feedback.js';
import { Icon } from './icon.js';
import { DeliveryBadge, isDistrusted, LOOKUP_TONES } from './lookup-facts.js';
import { ShortNextStep } from './next-step.js';
import { Table } from './table.js';

const AT_ONCE = 25;

const TONES = { FAULTY: 'bad', DUPLICATE: 'neutral', NOT_BEGUN: 'neutral', ERASED: 'neutral', ...LOOKUP_TONES };

const Payment = ({ of: { question, callerId } }) => html`
  <span class="stacked break payment-cell">
    ${question ? html`<code>${question.claveRastreo}</code>` : html`<span class="muted">—</span>`}
    ${question && html`<small class="nowrap">${money(question.monto)} · ${question.fecha}</small>`}
    ${callerId && html`<small>${t('row.caller_id', { id: callerId })}</small>`}
  </span>`;

const Explanation = ({ of: row }) => {
  const { state, errors, duplicateOf, origin, earlier, payment, whatToDo } = row;
  const distrusted = isDistrusted(row);
  const reason = state !== 'DELIVERED' && row.reason;
  if (state === 'FAULTY') {
    return html`<ul class="remedies">${errors.map(({ field, message }) => html`<li key=${field}><${Fault} field=${field} message=${message} /></li>`)}</ul>`;
  }
  if (state === 'DUPLICATE') return html`<span>${t('dry_run.repeats', { row: count(duplicateOf) })}</span>`;
  const notices = row.notices.filter(({ codigo }) => codigo !== 'campos_sin_sellar_comparados_con_el_banco');
  if (!distrusted && !notices.length && !earlier?.veces && !reason && !whatToDo) return html`<span class="muted">—</span>`;
  return html`
    <span class="stacked">
      ${distrusted && html`<strong>${t('proof.distrust')}</strong>`}
      ${origin === 'IMPORTED' && html`<span>${t('row.imported')}</span>`}
      ${earlier?.veces > 0 && html`<strong>${tn('proof.seen', earlier.veces, { at: dateTime(earlier.primera_vez) })}</strong>`}
      ${notices.length > 0 && html`
        <details class="more small">
          <summary>${t('row.notices')}</summary>
          ${notices.map(({ codigo, mensaje }) => html`<p key=${codigo} data-notice=${codigo}>${mensaje}</p>`)}
        </details>`}
      ${reason && html`<span class="badges"><${OutcomeBadge} outcome=${reason} />${payment && html`<small>${payment.text}</small>`}</span>`}
      <${ShortNextStep} of=${row} />
    </span>`;
};

// A row with what is told of its lookup; the seal's verdict is as of now.
const flat = ({ lookup, ...row }) => ({
  notices: [], hints: [], ...lookup, ...lookup?.delivery, seal: lookup?.delivery?.seal.verdict ?? null, ...row, lookupId: lookup?.id, id: row.row,
});

const columns = () => [
  {
    key: 'row', label: t('row.number'),
    cell: ({ row, line }) => html`<span class="stacked nowrap"><strong class="number"><span class="card-label">${t('row.number')} </span>${count(row)}</strong><small>${t('row.line', { line: count(line) })}</small></span>`,
  },
  { key: 'payment', label: t('row.payment'), cell: (row) => html`<${Payment} of=${row} />` },
  { key: 'state', label: t('batch.state'), cell: (row) => html`<${DeliveryBadge} of=${row} tones=${TONES} word=${(state) => t(`row.state.${state}`)} />` },
  { key: 'reason', label: t('row.explanation'), tone: 'remedy', cell: (row) => html`<${Explanation} of=${row} />` },
  {
    key: 'lookup', label: t('row.lookup'),
    cell: ({ lookupId, row }) => (lookupId
      ? html`<${Link} to=${`/lookups/${lookupId}`} aria-label=${t('row.open_of', { row })} data-testid="row-lookup">${t('row.open')}</${Link}>`
      : html`<span class="muted">—</span>`),
  },
];

// `changes` is true while rows may change by themselves.
export function BatchRows({ id, total, changes }) {
  const [after, setAfter] = useState(0);
  const heading = useRef(null);
  const { data, previous, error, loading, reload } = useQuery(BATCH_ROWS, { id, first: AT_ONCE, after: after > 0 ? String(after) : null }, { live: true, localised: true });
  usePolling(reload, changes);
  const ended = useRef(changes);
  useEffect(() => {
    if (ended.current && !changes) reload();
    ended.current = changes;
  }, [changes]);
  const found = (data ?? (loading ? previous : undefined))?.batchRows;
  const turn = (to) => () => {
    setAfter(to);
    heading.current.focus();
  };
  const last = Math.min(after + AT_ONCE, total);
  return html`
    <section class="panel" aria-labelledby="rows-title">
      <header class="panel-head"><h2 id="rows-title" ref=${heading} tabindex="-1">${t('row.title')}</h2></header>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(found)} />`}
      ${!found ? !error && html`<${Skeleton} lines=${5} />`
        : html`
          <div class=${data ? '' : 'stale'} aria-busy=${data ? undefined : 'true'}>
            <${Table} label=${t('row.title')} rows=${found.nodes.map(flat)} columns=${columns()} testid="rows-table"
              rowProps=${({ row, state, seal }) => ({ 'data-testid': 'batch-payment', 'data-row': row, 'data-state': state, 'data-seal': seal })} />
          </div>
          <footer class="list-foot">
            <span class="muted small" role="status">${t('row.shown', { first: count(after + 1), last: count(last), total: count(total) })}</span>
            ${total > AT_ONCE && html`
              <span class="row">
                <button type="button" disabled=${after === 0} onClick=${turn(Math.max(0, after - AT_ONCE))} data-testid="rows-back"><${Icon} name="back" />${t('row.back')}</button>
                <button type="button" disabled=${!found.pageInfo.hasNextPage} onClick=${turn(after + AT_ONCE)} data-testid="rows-next">${t('row.next')}<${Icon} name="next" /></button>
              </span>`}
          </footer>`}
    </section>`;
}
