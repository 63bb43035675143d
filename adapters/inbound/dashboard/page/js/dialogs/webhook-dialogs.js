// Dialogs of webhooks: a new one, another address or other events, a new secret, an end.

import { html, useState } from '../lib.js';
import { dateTime } from '../format.js';
import { t } from '../i18n.js';
import { close, open, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { go } from '../router.js';
import { CREATE_WEBHOOK, REMOVE_WEBHOOK, ROTATE_WEBHOOK_SECRET, UPDATE_WEBHOOK } from '../webhook-queries.js';
import { Choice, Field } from '../components/field.js';
import { EVENTS, wireName } from '../components/webhook-facts.js';
import { FormDialog } from './form-dialog.js';
import { SecretDialog } from './secret-dialog.js';

function reveal({ webhook, secret }, title) {
  const until = webhook.previousSecretUntil;
  const words = { more: t('webhook_secret.more'), copy: t('webhook_secret.copy'), notCopied: t('webhook_secret.not_copied') };
  const note = until ? t('webhook_secret.both', { at: dateTime(until) }) : t('webhook_secret.use');
  open(() => html`<${SecretDialog} title=${title} heading=${webhook.url} secret=${secret} note=${note} words=${words} />`);
}

const Url = ({ value, onInput, error }) => html`
  <${Field} label=${t('webhook.url')} help=${t('webhook.url_help')} error=${error}>
    ${(control) => html`
      <input ...${control} class="mono" type="url" inputmode="url" autocomplete="off" spellcheck=${false} autofocus required placeholder="https://"
        value=${value} onInput=${({ target }) => onInput(target.value)} data-testid="webhook-url" />`}
  </${Field}>`;

function Events({ value, onChange, error }) {
  const toggle = (event) => ({ target }) => onChange(EVENTS.filter((each) => (each === event ? target.checked : value.includes(each))));
  return html`
    <fieldset class="choice">
      <legend>${t('webhook.events')}</legend>
      <div class="choice-options event-options">
        ${EVENTS.map((event) => html`
          <label key=${event}>
            <input type="checkbox" checked=${value.includes(event)} onChange=${toggle(event)} data-testid=${`event-${event}`} />
            <span><strong>${t(`webhook.event.${event}`)}</strong><small class="mono">${wireName(event)}</small></span>
          </label>`)}
      </div>
      ${error && html`<p class="field-error" role="alert">${error}</p>`}
    </fieldset>`;
}

// Says what is missing before anything is sent.
function useForm(webhook) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState(webhook?.events ?? EVENTS);
  const [tried, setTried] = useState(false);
  const complete = () => {
    setTried(true);
    return url.trim() !== '' && events.length > 0;
  };
  return { url, setUrl, events, setEvents, tried, complete };
}

const SHOWN = ['url', 'events'];

const Fields = ({ of: { url, setUrl, events, setEvents, tried }, fields }) => html`
  <${Url} value=${url} onInput=${setUrl} error=${fields.url ?? (tried && !url.trim() ? t('webhook.url_missing') : undefined)} />
  <${Events} value=${events} onChange=${setEvents} error=${fields.events ?? (tried && !events.length ? t('webhook.events_missing') : undefined)} />`;

export function AddWebhook() {
  const form = useForm();
  const [environment, setEnvironment] = useState('LIVE');
  const mutation = useMutation(CREATE_WEBHOOK, SHOWN);
  const submit = async () => {
    if (!form.complete()) return;
    const added = await mutation.run({ url: form.url.trim(), events: form.events, env: environment });
    if (added) reveal(added, t('add_webhook.revealed'));
  };
  return html`
    <${FormDialog} title=${t('add_webhook.title')} submit=${t('add_webhook.submit')} mutation=${mutation} onSubmit=${submit} testid="add-webhook-confirm">
      <${Fields} of=${form} fields=${mutation.fields} />
      <${Choice} legend=${t('create.environment')} name="environment" value=${environment} onChange=${setEnvironment}
        options=${['LIVE', 'TEST'].map((key) => ({ key, label: t(`environment.${key}`), help: t(`add_webhook.${key}`), testid: `webhook-env-${key}` }))} />
    </${FormDialog}>`;
}

export function EditWebhook({ subject }) {
  const form = useForm(subject);
  const mutation = useMutation(UPDATE_WEBHOOK, SHOWN);
  const submit = async () => {
    if (!form.complete()) return;
    if (!await mutation.run({ id: subject.id, url: form.url.trim(), events: form.events })) return;
    close();
    say(t('edit_webhook.done'));
  };
  return html`
    <${FormDialog} title=${t('edit_webhook.title')} submit=${t('edit_webhook.submit')} mutation=${mutation} onSubmit=${submit} testid="edit-webhook-confirm">
      <${Fields} of=${form} fields=${mutation.fields} />
    </${FormDialog}>`;
}

export function DisableWebhook({ subject }) {
  const mutation = useMutation(UPDATE_WEBHOOK);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id, enabled: false })) return;
    close();
    say(t('disable_webhook.done'));
  };
  return html`
    <${FormDialog} title=${t('disable_webhook.title')} submit=${t('disable_webhook.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      testid="disable-webhook-confirm">
      <p>${t('disable_webhook.effect')}</p>
    </${FormDialog}>`;
}

export function RotateSecret({ subject }) {
  const mutation = useMutation(ROTATE_WEBHOOK_SECRET);
  const submit = async () => {
    const rotated = await mutation.run({ id: subject.id });
    if (rotated) reveal(rotated, t('rotate_secret.revealed'));
  };
  return html`
    <${FormDialog} title=${t('rotate_secret.title')} submit=${t('rotate_secret.submit')} mutation=${mutation} onSubmit=${submit} testid="rotate-secret-confirm">
      <p>${t('rotate_secret.effect')}</p>
    </${FormDialog}>`;
}

export function RemoveWebhook({ subject }) {
  const mutation = useMutation(REMOVE_WEBHOOK);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    go('/webhooks');
    say(t('remove_webhook.done'));
  };
  return html`
    <${FormDialog} title=${t('remove_webhook.title')} submit=${t('remove_webhook.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      testid="remove-webhook-confirm">
      <p><code>${subject.url}</code></p>
      <p>${t('remove_webhook.effect')}</p>
    </${FormDialog}>`;
}
