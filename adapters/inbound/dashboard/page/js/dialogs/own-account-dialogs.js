// Dialogs of own accounts: a new one, and an end.

import { html, useState } from '../lib.js';
import { t } from '../i18n.js';
import { close, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { ADD_OWN_ACCOUNT, REMOVE_OWN_ACCOUNT } from '../own-account-queries.js';
import { Field } from '../components/field.js';
import { FormDialog } from './form-dialog.js';

const SHOWN = ['name', 'cuenta', 'receptor'];
const INPUTS = {
  name: { autofocus: true, maxlength: 100 },
  cuenta: { class: 'mono', inputmode: 'numeric', autocomplete: 'off' },
  receptor: { autocomplete: 'off' },
};

export function AddOwnAccount() {
  const [values, setValues] = useState({ name: '', cuenta: '', receptor: '' });
  const [tried, setTried] = useState(false);
  const mutation = useMutation(ADD_OWN_ACCOUNT, SHOWN);
  const missing = (name) => tried && !values[name].trim() && name !== 'receptor' && t('own_accounts.needed');
  const submit = async () => {
    setTried(true);
    if (!values.name.trim() || !values.cuenta.trim()) return;
    if (!await mutation.run({ ...values, receptor: values.receptor.trim() || null })) return;
    close();
    say(t('own_accounts.added'));
  };
  return html`
    <${FormDialog} title=${t('own_accounts.add')} submit=${t('own_accounts.add')} mutation=${mutation} onSubmit=${submit} testid="add-own-account-confirm">
      ${SHOWN.map((name) => html`
        <${Field} key=${name} label=${t(`own_accounts.${name}`)} help=${t(`own_accounts.${name}_help`)} error=${mutation.fields[name] ?? (missing(name) || undefined)}>
          ${(control) => html`
            <input ...${control} ...${INPUTS[name]} value=${values[name]} data-testid=${`own-account-${name}`}
              onInput=${({ target }) => setValues({ ...values, [name]: target.value })} />`}
        </${Field}>`)}
    </${FormDialog}>`;
}

export function RemoveOwnAccount({ subject }) {
  const mutation = useMutation(REMOVE_OWN_ACCOUNT);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    say(t('own_accounts.removed'));
  };
  return html`
    <${FormDialog} title=${t('own_accounts.remove')} submit=${t('own_accounts.remove')} tone="danger" mutation=${mutation} onSubmit=${submit}
      testid="remove-own-account-confirm">
      <p><strong>${subject.name}</strong> <code>${subject.cuenta}</code></p>
      <p>${t('own_accounts.remove_effect')}</p>
    </${FormDialog}>`;
}
