// Gives an account another plan.

import { html, useState } from '../lib.js';
import { t } from '../i18n.js';
import { close, say } from '../memory.js';
import { useMutation } from '../mutate.js';
import { SET_PLAN } from '../queries.js';
import { Choice } from '../components/field.js';
import { FormDialog } from './form-dialog.js';

const PLANS = ['STARTUP', 'ENTERPRISE'];

export function SetPlan({ account }) {
  const [plan, setPlan] = useState(account.plan);
  const [existingKeys, setExisting] = useState('KEEP');
  const mutation = useMutation(SET_PLAN);
  const submit = async () => {
    if (!await mutation.run({ accountId: account.id, plan, existingKeys })) return;
    close();
    say(t('plan.done'));
  };
  return html`
    <${FormDialog} title=${t('plan.title', { subject: account.owner.subject })} submit=${t('plan.submit')}
      mutation=${mutation} onSubmit=${submit} testid="plan-confirm">
      <${Choice} legend=${t('plan.which')} name="plan" value=${plan} onChange=${setPlan}
        options=${PLANS.map((each) => ({ key: each, label: t(`plan.${each}`), help: t(`plan.${each}.help`) }))} />
      <${Choice} legend=${t('plan.existing')} name="existing" value=${existingKeys} onChange=${setExisting}
        options=${['KEEP', 'FOLLOW'].map((each) => ({ key: each, label: t(`existing.${each}`), help: t(`existing.${each}.help`) }))} />
    </${FormDialog}>`;
}
