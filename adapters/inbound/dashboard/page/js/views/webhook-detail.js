// One webhook: its events, its secret, its deliveries, and what can be done to it.

import { html } from '../lib.js';
import { dateTime } from '../format.js';
import { t } from '../i18n.js';
import { open, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { Link } from '../router.js';
import { useQuery } from '../use-query.js';
import { TEST_WEBHOOK, UPDATE_WEBHOOK, WEBHOOK } from '../webhook-queries.js';
import { Button, StateButton } from '../components/button.js';
import { Deliveries } from '../components/deliveries.js';
import { EnvironmentBadge, Time } from '../components/facts.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { EventList, WebhookState } from '../components/webhook-facts.js';
import { DisableWebhook, EditWebhook, RemoveWebhook, RotateSecret } from '../dialogs/webhook-dialogs.js';
import { Page } from './page.js';

export function WebhookDetail({ id }) {
  const { data, error, reload } = useQuery(WEBHOOK, { id }, { live: true });
  const webhook = data?.webhook;
  const back = html`<${Link} class="back" to="/webhooks"><${Icon} name="back" />${t('nav.webhooks')}</${Link}>`;
  if (error && !data) return html`${back}<${Page} title=${t('webhook.title')}><${Failed} error=${error} retry=${reload} /></${Page}>`;
  if (!data) return html`${back}<div class="panel"><${Skeleton} lines=${6} /></div>`;
  if (!webhook) {
    return html`${back}<${Page} title=${t('webhook.none')}><div class="panel"><${Empty} title=${t('webhook.none')} icon="webhooks"><p class="muted">${t('webhook.none_more')}</p></${Empty}></div></${Page}>`;
  }
  return html`
    ${back}
    <${Page} title=${t('webhook.title')} lead=${html`<code class="break">${webhook.url}</code>`} actions=${html`<${Actions} subject=${webhook} />`}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale />`}
      <${Standing} of=${webhook} />
      <div class="fact-cards">
        <${About} of=${webhook} />
        <${Secret} of=${webhook} />
      </div>
      <${Deliveries} id=${id} enabled=${webhook.enabled} onChange=${reload} />
    </${Page}>`;
}

function Actions({ subject }) {
  const testing = useMutation(TEST_WEBHOOK);
  const enabling = useMutation(UPDATE_WEBHOOK);
  const show = (dialog) => () => open(() => html`<${dialog} subject=${subject} />`);
  const test = async () => say(t(await testing.run({ id: subject.id }) ? 'webhook.test_sent' : 'webhook.test_not_sent'));
  const enable = async () => (await enabling.run({ id: subject.id, enabled: true })) && say(t('webhook.enabled_done'));
  const error = testing.error ?? enabling.error;
  return html`
    ${subject.enabled && html`<${StateButton} key="test" onClick=${test} blocked=${testing.busy} data-testid="test-webhook"><${Icon} name="send" />${t('webhook.test')}</${StateButton}>`}
    <${Button} key="edit" onClick=${show(EditWebhook)} data-testid="edit-webhook"><${Icon} name="edit" />${t('edit_webhook.action')}</${Button}>
    ${subject.enabled
      ? html`<${StateButton} key="disable" onClick=${show(DisableWebhook)} data-testid="disable-webhook"><${Icon} name="forbid" />${t('disable_webhook.action')}</${StateButton}>`
      : html`<${StateButton} key="enable" class="primary" onClick=${enable} blocked=${enabling.busy} data-testid="enable-webhook"><${Icon} name="check" />${t('webhook.enable')}</${StateButton}>`}
    <${Button} key="remove" class="danger-quiet" onClick=${show(RemoveWebhook)} data-testid="remove-webhook"><${Icon} name="erase" />${t('remove_webhook.action')}</${Button}>
    ${error && html`<p class="field-error" role="alert">${error.message}</p>`}`;
}

// The reason for which nothing arrives, and the remedy.
function Standing({ of: { enabled, disabledReason, disabledAt, failingSince } }) {
  if (!enabled && disabledReason) {
    return html`
      <${Notice} tone=${disabledReason === 'OWNER' ? 'info' : 'bad'} testid="webhook-disabled">
        <p><strong>${t('webhook.disabled_at', { at: dateTime(disabledAt) })}</strong> ${t(`webhook.disabled_more.${disabledReason}`)}</p>
      </${Notice}>`;
  }
  return failingSince && html`
    <${Notice} tone="warn" testid="webhook-failing"><p><strong>${t('webhook.failing_since', { at: dateTime(failingSince) })}</strong> ${t('webhook.failing_more')}</p></${Notice}>`;
}

const About = ({ of: webhook }) => html`
  <section class="panel" aria-labelledby="about-title">
    <h2 id="about-title">${t('webhook.about')}</h2>
    <dl class="pairs">
      <div><dt>${t('batch.state')}</dt><dd><${WebhookState} of=${webhook} /></dd></div>
      <div><dt>${t('keys.environment')}</dt><dd><${EnvironmentBadge} environment=${webhook.env} /></dd></div>
      <div><dt>${t('webhook.created')}</dt><dd><${Time} at=${webhook.createdAt} /></dd></div>
      <div><dt>${t('batch.updated')}</dt><dd><${Time} at=${webhook.updatedAt} /></dd></div>
    </dl>
    <h3>${t('webhook.events')}</h3>
    <${EventList} events=${webhook.events} />
  </section>`;

function Secret({ of: webhook }) {
  const { previousSecretUntil: until } = webhook;
  const both = until && new Date(until) > Date.now();
  return html`
    <section class="panel" aria-labelledby="secret-title">
      <h2 id="secret-title">${t('webhook_secret.title')}</h2>
      ${both && html`<${Notice} testid="both-secrets"><p>${t('webhook_secret.both', { at: dateTime(until) })}</p></${Notice}>`}
      <p class="small">${t('webhook_secret.verify')}</p>
      <ol class="hints small">
        <li>${t('webhook_secret.step_1')}</li>
        <li>${t('webhook_secret.step_2')}</li>
        <li>${t('webhook_secret.step_3')}</li>
      </ol>
      <p class="small">${t('webhook_secret.standard')} <a href="/docs">${t('webhook_secret.docs')}</a></p>
      <div class="row"><button type="button" onClick=${() => open(() => html`<${RotateSecret} subject=${webhook} />`)} data-testid="rotate-secret"><${Icon} name="rotate" />${t('rotate_secret.action')}</button></div>
    </section>`;
}
