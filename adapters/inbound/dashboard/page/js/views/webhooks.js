// Webhooks: the addresses that are told when lookups and batches end.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { open } from '../memory.js';
import { Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { WEBHOOKS } from '../webhook-queries.js';
import { EnvironmentBadge, Time } from '../components/facts.js';
import { Empty, Failed, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Table } from '../components/table.js';
import { EventList, WebhookState } from '../components/webhook-facts.js';
import { AddWebhook } from '../dialogs/webhook-dialogs.js';
import { Page } from './page.js';

const columns = () => [
  {
    key: 'url', label: t('webhook.url'),
    cell: ({ id, url }) => html`<${Link} class="break" to=${`/webhooks/${id}`} data-testid="webhook-link">${url}</${Link}>`,
  },
  { key: 'environment', label: t('keys.environment'), cell: ({ env }) => html`<${EnvironmentBadge} environment=${env} />` },
  { key: 'events', label: t('webhook.events'), tone: 'events-cell', cell: ({ events }) => html`<${EventList} events=${events} />` },
  { key: 'state', label: t('batch.state'), cell: (webhook) => html`<${WebhookState} of=${webhook} />` },
  { key: 'created', label: t('webhook.created'), cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
];

const Add = () => html`
  <button type="button" class="primary" onClick=${() => open(() => html`<${AddWebhook} />`)} data-testid="add-webhook"><${Icon} name="plus" />${t('add_webhook.action')}</button>`;

export function Webhooks() {
  const { data, error, reload } = useQuery(WEBHOOKS, {}, { live: true });
  const webhooks = data?.webhooks;
  return html`
    <${Page} title=${t('nav.webhooks')} lead=${t('webhooks.lead')} actions=${html`<${Add} />`}>
      <section class="panel" aria-label=${t('nav.webhooks')}>
        ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(webhooks)} />`}
        ${!webhooks ? !error && html`<${Skeleton} lines=${4} />`
          : webhooks.length ? html`
            <${Table} label=${t('nav.webhooks')} rows=${webhooks} columns=${columns()} testid="webhooks-table"
              rowProps=${({ id }) => ({ 'data-testid': 'webhook-row', 'data-webhook-id': id })} />`
            : html`<${Empty} title=${t('webhooks.none')} icon="webhooks"><p class="muted">${t('webhooks.none_more')}</p></${Empty}>`}
      </section>
    </${Page}>`;
}
