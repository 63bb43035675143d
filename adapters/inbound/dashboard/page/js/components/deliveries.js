// Deliveries to a webhook: each message with its last answer and the attempts to come.

import { html, useEffect, useRef } from '../lib.js';
import { t } from '../i18n.js';
import { say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { usePolling } from '../polling.js';
import { useConnection } from '../use-query.js';
import { DELIVERIES, RESEND_DELIVERY } from '../webhook-queries.js';
import { Button } from './button.js';
import { Empty, Failed } from './feedback.js';
import { Icon } from './icon.js';
import { Listing, Refresh } from './listing.js';
import { deliveryColumns, isPending } from './webhook-facts.js';

const NONE = { nodes: [], pageInfo: {} };

// `onChange`: the webhook may have changed with its deliveries.
export function Deliveries({ id, enabled, onChange }) {
  const list = useConnection(DELIVERIES, { id, first: 20 }, (data) => data.webhookDeliveries ?? NONE, { live: true });
  const resending = useMutation(RESEND_DELIVERY);
  const pending = (list.nodes ?? []).filter(isPending).length;
  usePolling(list.reload, !list.isPaged && pending > 0);
  const states = list.nodes?.map((delivery) => delivery.id + delivery.state).join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current !== undefined) onChange();
    before.current = states;
  }, [states]);
  const heading = useRef(null);
  // The button goes with the delivery's end; the focus stays near it.
  const resend = async (delivery) => {
    if (!await resending.run({ webhookId: id, deliveryId: delivery.id })) return;
    heading.current.focus();
    say(t('delivery.resent'));
  };
  const ended = (list.nodes ?? []).length > pending;
  const button = (delivery) => (isPending(delivery) ? html`<span class="muted">—</span>` : html`
    <${Button} class="small" blocked=${resending.busy || !enabled} aria-describedby=${enabled ? undefined : 'resend-blocked'}
      onClick=${() => resend(delivery)} data-testid="resend"><${Icon} name="refresh" />${t('delivery.resend')}</${Button}>`);
  return html`
    <section class="panel" aria-labelledby="deliveries-title">
      <header class="panel-head">
        <h2 id="deliveries-title" ref=${heading} tabindex="-1">${t('delivery.title')}</h2>
        <${Refresh} of=${list} />
      </header>
      ${resending.error && html`<${Failed} error=${resending.error} />`}
      ${!enabled && ended && html`<p class="muted small resend-blocked" id="resend-blocked">${t('delivery.resend_blocked')}</p>`}
      <${Listing} list=${list} label=${t('delivery.title')} columns=${deliveryColumns(button)} testid="deliveries-table"
        rowProps=${({ id: own, state }) => ({ 'data-testid': 'delivery-row', 'data-delivery-id': own, 'data-delivery-state': state })}
        empty=${html`<${Empty} title=${t('delivery.none')} icon="webhooks"><p class="muted">${t('delivery.none_more')}</p></${Empty}>`} />
    </section>`;
}
