// The rows of an ended batch that have no answer: its results are sent again, as the table of a new batch.

import { html, useState } from '../lib.js';
import { rest, unreachable } from '../api.js';
import { t, tn } from '../i18n.js';
import { tableAtHand } from '../memory.js';
import { go } from '../router.js';
import { titleOf, unansweredRows, workbookOf } from './batch-facts.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { Refusal } from './refusal.js';

export function TryAgain({ of: batch }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(null);
  const unanswered = unansweredRows(batch.counts);
  if (!unanswered) return null;

  const start = async () => {
    setBusy(true);
    setFailure(null);
    const answer = await rest(workbookOf(batch)).catch(unreachable);
    setBusy(false);
    if (answer.error) {
      setFailure(answer);
      return;
    }
    const file = new File([await answer.response.blob()], `${titleOf(batch)}.xlsx`);
    tableAtHand.set({ file, keyId: batch.keyId, options: { name: batch.name ?? '', formats: batch.formats.join(), retryFor: String(batch.retryFor) } });
    go('/batches/new');
  };

  return html`
    <section class="panel try-again" aria-labelledby="again-title">
      <div>
        <h2 id="again-title">${tn('try_again.title', unanswered)}</h2>
        <p class="muted">${t('try_again.help')}</p>
      </div>
      <${Button} blocked=${busy} onClick=${start} data-testid="try-again"><${Icon} name="refresh" />${t(busy ? 'state.working' : 'try_again.start')}</${Button}>
      ${failure && html`<div role="alert"><${Refusal} result=${failure} /></div>`}
    </section>`;
}
