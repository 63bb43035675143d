// The rows of a batch that pass a filter, some at a time, in their order.

import { html, useEffect, useRef, useState } from '../lib.js';
import { BATCH_ROWS } from '../batch-queries.js';
import { count, dateTime, money } from '../format.js';
import { t, tn } from '../i18n.js';
import { usePolling } from '../polling.js';
import { Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { OutcomeBadge } from './facts.js';
import { Fault } from './fault.js';
import { Empty, Failed, Skeleton } from './feedback.js';
import { Icon } from './icon.js';
import { DeliveryBadge, isDistrusted, LOOKUP_TONES } from './lookup-facts.js';
import { ShortNextStep } from './next-step.js';
import { RowFilters, useRowFilters } from './row-filters.js';
import { Table } from './table.js';

const AT_ONCE = 25;

const TONES = { FAULTY: 'bad', DUPLICATE: 'neutral', NOT_BEGUN: 'neutral', ERASED: 'neutral', ...LOOKUP_TONES };

// Of a row with mistakes, what stands in the file.
const Written = ({ of: { fecha, claveRastreo: key, numeroReferencia: reference, cuenta, monto } }) => html`
  ${(key ?? reference) && html`<code>${key ?? reference}</code>`}
  ${cuenta && html`<code>${cuenta}</code>`}
  <small>${[monto, fecha].filter(Boolean).join(' · ')}</small>`;

// Of a payment that was found by its reference number, the tracking key that its proof tells.
const Payment = ({ of: { question, written, callerId, foundKey } }) => html`
  <span class="stacked break payment-cell">
    ${written ? html`<${Written} of=${written} />` : question ? html`<code>${question.claveRastreo ?? t('lookup.by_reference', { reference: question.numeroReferencia })}</code>` : html`<span class="muted">—</span>`}
    ${foundKey && html`<code>${foundKey}</code>`}
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
  notices: [], hints: [], ...lookup, ...lookup?.delivery, seal: lookup?.delivery?.seal.verdict ?? null,
  foundKey: row.question?.numeroReferencia ? lookup?.delivery?.proof.trackingKey : null, ...row, lookupId: lookup?.id, id: row.row,
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

// The rows that are shown: of all the first and the last, of those that pass a filter how many, as no total is told.
function shownRows(nodes, total, filtered, paged) {
  if (filtered) return paged ? tn('row.found_more', nodes.length) : tn('row.found', nodes.length);
  return t('row.shown', { first: count(nodes[0].row), last: count(nodes.at(-1).row), total: count(total) });
}

const NONE = [];

// `changes` is true while rows may change by themselves.
export function BatchRows({ id, counts, changes }) {
  const filters = useRowFilters();
  const { filter } = filters;
  const of = JSON.stringify(filter);
  // The last rows of the pages before, of this filter.
  const [pages, setPages] = useState({ of, ends: NONE });
  const ends = pages.of === of ? pages.ends : NONE;
  const heading = useRef(null);
  const { data, previous, error, loading, reload } = useQuery(BATCH_ROWS, { id, first: AT_ONCE, after: ends.at(-1) ?? null, filter }, { live: true, localised: true });
  usePolling(reload, changes);
  const ended = useRef(changes);
  useEffect(() => {
    if (ended.current && !changes) reload();
    ended.current = changes;
  }, [changes]);
  const found = (data ?? (loading ? previous : undefined))?.batchRows;
  const filtered = of !== '{}';
  const paged = found?.pageInfo.hasNextPage || ends.length > 0;
  const turn = (to) => () => {
    setPages({ of, ends: to });
    heading.current.focus();
  };
  const clear = () => {
    filters.clear();
    heading.current.focus();
  };
  const next = () => turn([...ends, String(found.nodes.at(-1).row)])();
  return html`
    <section class="panel" aria-labelledby="rows-title">
      <header class="panel-head"><h2 id="rows-title" ref=${heading} tabindex="-1">${t('row.title')}</h2></header>
      <${RowFilters} of=${filters} faulty=${counts.faulty > 0} />
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(found)} />`}
      ${!found ? !error && html`<${Skeleton} lines=${5} />`
        : !found.nodes.length ? html`
          <div role="status"><${Empty} title=${t('row.no_match')} icon="batches"><button type="button" onClick=${clear} data-testid="rows-clear">${t('filter.clear')}</button></${Empty}></div>`
        : html`
          <div class=${data ? '' : 'stale'} aria-busy=${data ? undefined : 'true'}>
            <${Table} label=${t('row.title')} rows=${found.nodes.map(flat)} columns=${columns()} testid="rows-table"
              rowProps=${({ row, state, seal }) => ({ 'data-testid': 'batch-payment', 'data-row': row, 'data-state': state, 'data-seal': seal })} />
          </div>
          <footer class="list-foot">
            <span class="muted small" role="status" data-testid="rows-shown">${data && shownRows(found.nodes, counts.rows, filtered, paged)}</span>
            ${paged && html`
              <span class="row">
                <button type="button" disabled=${ends.length === 0} onClick=${turn(ends.slice(0, -1))} data-testid="rows-back"><${Icon} name="back" />${t('row.back')}</button>
                <button type="button" disabled=${!found.pageInfo.hasNextPage} onClick=${next} data-testid="rows-next">${t('row.next')}<${Icon} name="next" /></button>
              </span>`}
          </footer>`}
    </section>`;
}
