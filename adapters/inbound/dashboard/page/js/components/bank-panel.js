// The health of the central bank and of the sandbox, as this gateway sees it.

import { html } from '../lib.js';
import { count, percent, roughly } from '../format.js';
import { t, tn } from '../i18n.js';
import { BANK } from '../queries.js';
import { useQuery } from '../use-query.js';
import { Badge } from './facts.js';
import { Failed, Skeleton } from './feedback.js';

const TONES = { UNKNOWN: 'off', OPERATIONAL: 'ok', DEGRADED: 'warn', DOWN: 'bad', PAUSED: 'warn' };

export function BankPanel() {
  const { data, error, reload } = useQuery(BANK, {}, { live: true });
  return html`
    <section class="panel" aria-labelledby="bank-title" data-testid="bank-health">
      <header class="panel-head"><h2 id="bank-title">${t('bank.title')}</h2></header>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(data)} />`}
      ${!data ? !error && html`<${Skeleton} />`
        : html`<div class="banks">${[data.live, data.test].map((bank) => html`<${Bank} key=${bank.env} bank=${bank} />`)}</div>`}
    </section>`;
}

function queue({ interactive, background }) {
  return background > 0 ? t('bank.queue_of', { waiting: count(interactive), background: count(background) }) : count(interactive);
}

function Bank({ bank }) {
  const { latency, budget } = bank;
  const facts = [
    [t('bank.lookups'), count(bank.lookups)],
    [t('bank.success'), bank.successRate === null ? '—' : percent(bank.successRate)],
    [t('bank.latency'), latency ? html`<span title=${t('latency.rough')}>${roughly(latency.p50Ms)} / ${roughly(latency.p95Ms)}</span>` : '—'],
    ...(budget ? [
      [t('bank.budget'), t('bank.budget_of', { left: budget.remaining, all: budget.perMinute })],
      [t('bank.queue'), html`<span data-testid="bank-queue" title=${t('bank.queue.help')}>${queue(budget.waiting)}</span>`],
    ] : []),
  ];
  return html`
    <article class="bank" data-environment=${bank.env}>
      <header>
        <h3>${t(`bank.${bank.env}`)}</h3>
        <${Badge} tone=${TONES[bank.state]}>${t(`bank_state.${bank.state}`)}</${Badge}>
      </header>
      <p class="muted small">${t(`bank_state.${bank.state}.help`)}</p>
      ${budget?.pausedForSeconds > 0 && html`<p class="small">${tn('bank.paused_for', budget.pausedForSeconds)}</p>`}
      <dl class="pairs">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    </article>`;
}
