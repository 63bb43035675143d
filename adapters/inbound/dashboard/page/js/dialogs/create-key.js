// Makes a key, then shows its secret.

import { html, useState } from '../lib.js';
import { t } from '../i18n.js';
import { freshTestKey, open } from '../memory.js';
import { useMutation } from '../mutate.js';
import { CREATE_KEY } from '../queries.js';
import { Choice, Field } from '../components/field.js';
import { FormDialog } from './form-dialog.js';
import { Reveal } from './reveal.js';

export const MAX_NAME = 100;

// Shows a key that was just made, and lets it be tried while the page lives.
export function reveal({ key, apiKey: secret }, title, note) {
  if (key.env === 'TEST') freshTestKey.set({ key, secret });
  open(() => html`<${Reveal} title=${title} created=${key} secret=${secret} note=${note} />`);
}

export function CreateKey() {
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState('TEST');
  const [missing, setMissing] = useState(false);
  const mutation = useMutation(CREATE_KEY, ['name']);

  const submit = async () => {
    if (!name.trim()) {
      setMissing(true);
      return;
    }
    const result = await mutation.run({ name: name.trim(), env: environment });
    if (result) reveal(result, t('reveal.title'));
  };

  return html`
    <${FormDialog} title=${t('create.title')} submit=${t('create.submit')} testid="create-submit" mutation=${mutation} onSubmit=${submit}>
      <${Field} label=${t('create.name')} help=${t('create.name_help')} error=${mutation.fields.name ?? (missing && !name.trim() ? t('create.name_missing') : undefined)}>
        ${(control) => html`
          <input ...${control} type="text" maxlength=${MAX_NAME} autocomplete="off" autofocus required
            value=${name} onInput=${(event) => setName(event.target.value)} data-testid="key-name" />`}
      </${Field}>
      <${Choice} legend=${t('create.environment')} name="environment" value=${environment} onChange=${setEnvironment}
        options=${[
          { key: 'TEST', label: t('environment.TEST'), help: t('create.test_help'), testid: 'key-env-test' },
          { key: 'LIVE', label: t('environment.LIVE'), help: t('create.live_help'), testid: 'key-env-live' },
        ]} />
    </${FormDialog}>`;
}
