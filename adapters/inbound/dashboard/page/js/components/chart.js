// Stacked bars over time, drawn to fit. What a pointer shows, the arrow keys show and tell too, and
// a table has it all.

import { html, useId, useLayoutEffect, useRef, useState } from '../lib.js';
import { count, slotLong, slotShort } from '../format.js';
import { t } from '../i18n.js';

const HEIGHT = 240;
const MARGIN = { top: 10, right: 22, bottom: 26 };
const LABEL_WIDTH = 58;

// The smallest 1, 2 or 5 × 10ⁿ, so that four steps of it reach `most`.
export function step(most) {
  const raw = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
}

function useWidth() {
  const element = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(element.current);
    setWidth(element.current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

// `series`: { id, label, className, counts, total }.
export function Chart({ slots, series, granularity, label }) {
  const [box, width] = useWidth();
  const [at, setAt] = useState(null);
  const [spoken, setSpoken] = useState('');
  const hint = useId();

  const sums = slots.map((_, i) => series.reduce((sum, each) => sum + each.counts[i], 0));
  const unit = step(Math.max(...sums, 0));
  const steps = Math.max(1, Math.ceil(Math.max(...sums, 0) / unit));
  const top = unit * steps;
  const left = 14 + 8 * count(top).length;
  const plot = { width: Math.max(0, width - left - MARGIN.right), height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const pitch = plot.width / slots.length;
  const bar = Math.min(34, Math.max(2, pitch * 0.68));
  const y = (value) => MARGIN.top + plot.height * (1 - value / top);
  const middle = (i) => left + pitch * (i + 0.5);
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / pitch));

  const describe = (i) => {
    const parts = series.filter((each) => each.counts[i]).map((each) => `${each.label}: ${count(each.counts[i])}`);
    return [slotLong(slots[i], granularity), t('chart.total', { count: count(sums[i]) }), ...parts].join('. ');
  };
  const point = (event) => {
    const x = event.clientX - box.current.getBoundingClientRect().left - left;
    const i = Math.floor(x / pitch);
    setAt(i >= 0 && i < slots.length ? i : null);
  };
  const press = (event) => {
    const last = slots.length - 1;
    const from = at ?? last + 1;
    const moves = { ArrowLeft: from - 1, ArrowRight: at === null ? 0 : from + 1, Home: 0, End: last, Escape: null };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const to = moves[event.key];
    const next = to === null ? null : Math.min(last, Math.max(0, to));
    setAt(next);
    setSpoken(next === null ? '' : describe(next));
  };
  const leave = () => {
    setAt(null);
    setSpoken('');
  };

  return html`
    <figure class="chart" data-testid="chart">
      <${Legend} series=${series} />
      <div class="chart-box" ref=${box} tabindex="0" role="group" aria-label=${label} aria-describedby=${hint}
        onPointerMove=${point} onPointerDown=${point} onPointerLeave=${leave} onKeyDown=${press} onBlur=${leave}>
        ${width > 0 && html`
          <svg width=${width} height=${HEIGHT} aria-hidden="true">
            ${Array.from({ length: steps + 1 }, (_, i) => html`
              <g key=${i}>
                <line class="grid" x1=${left} x2=${width - MARGIN.right} y1=${y(i * unit)} y2=${y(i * unit)} />
                <text class="tick" x=${left - 8} y=${y(i * unit) + 4} text-anchor="end">${count(i * unit)}</text>
              </g>`)}
            ${at !== null && html`<rect class="band" x=${left + pitch * at} y=${MARGIN.top} width=${pitch} height=${plot.height} />`}
            ${slots.map((slot, i) => html`
              <g key=${slot}>
                <${Bar} series=${series} i=${i} x=${middle(i) - bar / 2} width=${bar} y=${y} />
                ${(slots.length - 1 - i) % every === 0 && html`
                  <text class="tick" x=${middle(i)} y=${HEIGHT - 6} text-anchor="middle">
                    ${slotShort(slot, granularity)}
                  </text>`}
              </g>`)}
          </svg>`}
        ${at !== null && html`
          <${Tooltip} title=${slotLong(slots[at], granularity)} series=${series} i=${at} sum=${sums[at]} x=${middle(at)} clear=${pitch / 2 + 8} width=${width} />`}
        ${!sums.some(Boolean) && html`<p class="chart-empty">${t('chart.empty')}</p>`}
      </div>
      <p class="visually-hidden" id=${hint}>${t('chart.keys')}</p>
      <p class="visually-hidden" aria-live="polite">${spoken}</p>
      <${DataTable} slots=${slots} series=${series} sums=${sums} granularity=${granularity} label=${label} />
    </figure>`;
}

function Bar({ series, i, x, width, y }) {
  let below = 0;
  return series.filter((each) => each.counts[i]).map((each) => {
    const low = y(below);
    below += each.counts[i];
    const high = y(below);
    const gap = low - high > 3 ? 1 : 0;
    return html`<rect key=${each.id} class=${`bar ${each.className}`} x=${x} width=${width} y=${high} height=${Math.max(1, low - high - gap)} />`;
  });
}

const Legend = ({ series }) => html`
  <ul class="legend">
    ${series.map((each) => html`
      <li key=${each.id} class=${each.className}>
        <span class="swatch" aria-hidden="true"></span>${each.label} <span class="number muted">${count(each.total)}</span>
      </li>`)}
  </ul>`;

const TOOLTIP_WIDTH = 236;

// Beside its bar, on the side where there is room.
function Tooltip({ title, series, i, sum, x, clear, width }) {
  const right = x + clear;
  const at = Math.max(0, right + TOOLTIP_WIDTH <= width ? right : x - clear - TOOLTIP_WIDTH);
  return html`
    <div class="tooltip" aria-hidden="true" style=${{ left: `${at}px`, width: `${TOOLTIP_WIDTH}px` }}>
      <strong>${title}</strong>
      <dl>
        <div class="sum"><dt>${t('chart.requests')}</dt><dd>${count(sum)}</dd></div>
        ${series.filter((each) => each.counts[i]).map((each) => html`
          <div key=${each.id} class=${each.className}>
            <dt><span class="swatch"></span>${each.label}</dt><dd>${count(each.counts[i])}</dd>
          </div>`)}
      </dl>
    </div>`;
}

const DataTable = ({ slots, series, sums, granularity, label }) => html`
  <details class="chart-data">
    <summary>${t('chart.table')}</summary>
    <div class="scroll" tabindex="0" role="region" aria-label=${label}>
      <table data-testid="chart-table">
        <caption class="visually-hidden">${label}</caption>
        <thead>
          <tr>
            <th scope="col">${t(`chart.slot.${granularity}`)}</th>
            <th scope="col" class="number">${t('chart.requests')}</th>
            ${series.map((each) => html`<th key=${each.id} scope="col" class="number">${each.label}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${slots.map((slot, i) => html`
            <tr key=${slot}>
              <th scope="row">${slotLong(slot, granularity)}</th>
              <td class="number">${count(sums[i])}</td>
              ${series.map((each) => html`<td key=${each.id} class="number">${count(each.counts[i])}</td>`)}
            </tr>`).reverse()}
        </tbody>
      </table>
    </div>
  </details>`;
