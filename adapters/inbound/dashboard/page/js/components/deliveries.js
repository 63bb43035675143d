// What was sent to a webhook: each message with its last answer and the attempts to come.

import { html, useEffect, useRef } from '../lib.js';
import { t } from '../i18n.js';
import { say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { usePolling } from '../polling.js';
import { useConnection } from '../use-query.js';
import { DELIVERIES, RESEND_DELIVERY } from '../webhook-queries.js';
import { Empty, Failed } from './feedback.js';
import { Icon } from './icon.js';
import { Listing } from './listing.js';
import { deliveryColumns, isPending } from './webhook-facts.js';

const NONE = { nodes: [], pageInfo: {} };

// `onChange`: the webhook may have changed with its deliveries.
export function Deliveries({ id, onChange }) {
  const list = useConnection(DELIVERIES, { id, first: 20 }, (data) => data.webhookDeliveries ?? NONE);
  const resending = useMutation(RESEND_DELIVERY);
  const pending = (list.nodes ?? []).filter(isPending).length;
  // A list that was paged through isn't read again by itself: it would lose its pages.
  usePolling(list.reload, !list.isPaged && pending > 0);
  const states = (list.nodes ?? []).map((delivery) => delivery.id + delivery.state).join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current) onChange();
    before.current = states;
  }, [states]);
  const heading = useRef(null);
  // The button goes with the delivery's end; the focus stays near it.
  const resend = async (delivery) => {
    if (!await resending.run({ webhookId: id, deliveryId: delivery.id })) return;
    heading.current.focus();
    say(t('delivery.resent'));
  };
  const button = (delivery) => (isPending(delivery) ? html`<span class="muted">—</span>` : html`
    <button type="button" class="small" disabled=${resending.busy} onClick=${() => resend(delivery)} data-testid="resend"><${Icon} name="refresh" />${t('delivery.resend')}</button>`);
  return html`
    <section class="panel" aria-labelledby="deliveries-title">
      <header class="panel-head">
        <h2 id="deliveries-title" ref=${heading} tabindex="-1">${t('delivery.title')}</h2>
        <button type="button" class="quiet icon-only" aria-label=${t('action.refresh')} onClick=${list.reload}><${Icon} name="refresh" /></button>
      </header>
      ${resending.error && html`<${Failed} error=${resending.error} />`}
      <${Listing} list=${list} label=${t('delivery.title')} columns=${deliveryColumns(button)} testid="deliveries-table"
        rowProps=${({ id: own, state }) => ({ 'data-testid': 'delivery-row', 'data-delivery-id': own, 'data-delivery-state': state })}
        empty=${html`<${Empty} title=${t('delivery.none')} icon="webhooks"><p class="muted">${t('delivery.none_more')}</p></${Empty}>`} />
    </section>`;
}
