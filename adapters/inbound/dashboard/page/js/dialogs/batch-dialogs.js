// Dialogs of a batch: its cancellation, and its erasure.

import { html } from '../lib.js';
import { CANCEL_BATCH, ERASE_BATCH } from '../batch-queries.js';
import { t } from '../i18n.js';
import { close, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { go } from '../router.js';
import { FormDialog } from './form-dialog.js';

export function CancelBatch({ subject }) {
  const mutation = useMutation(CANCEL_BATCH);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    say(t('cancel_batch.done'));
  };
  return html`
    <${FormDialog} title=${t('cancel_batch.title')} submit=${t('cancel_batch.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      keep=${t('cancel_batch.keep')} testid="cancel-confirm">
      <p>${t('cancel_batch.effect')}</p>
    </${FormDialog}>`;
}

export function EraseBatch({ subject }) {
  const mutation = useMutation(ERASE_BATCH);
  const submit = async () => {
    if (!await mutation.run({ id: subject.id })) return;
    close();
    go('/batches');
    say(t('erase_batch.done'));
  };
  return html`
    <${FormDialog} title=${t('erase_batch.title')} submit=${t('erase_batch.submit')} tone="danger" mutation=${mutation} onSubmit=${submit}
      testid="erase-confirm">
      <p>${t('erase_batch.effect')}</p>
    </${FormDialog}>`;
}
