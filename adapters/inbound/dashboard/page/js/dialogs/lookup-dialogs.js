// Dialogs of a stored lookup: its cancellation, and its erasure.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { close, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { CANCEL_LOOKUP, ERASE_LOOKUP } from '../queries.js';
import { go } from '../router.js';
import { FormDialog } from './form-dialog.js';

export function CancelLookup({ subject }) {
  const mutation = useMutation(CANCEL_LOOKUP);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    say(t('cancel.done'));
  };
  return html`
    <${FormDialog} title=${t('cancel.title')} submit=${t('cancel.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      keep=${t('cancel.keep')} testid="cancel-confirm">
      <p>${t('cancel.effect')}</p>
    </${FormDialog}>`;
}

export function EraseLookup({ subject }) {
  const mutation = useMutation(ERASE_LOOKUP);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    go('/lookups');
    say(t('erase.done'));
  };
  return html`
    <${FormDialog} title=${t('erase.title')} submit=${t('erase.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      testid="erase-confirm">
      <p>${t('erase.effect')}</p>
    </${FormDialog}>`;
}
