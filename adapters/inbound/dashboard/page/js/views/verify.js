// Checks what people were sent, proofs and receipts: files, one after the other, each with its result.

import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { ACCEPTED, countedIn, fileChecks, isReceipt, isTooLargeForProof, mayBeReceipt, MOST_FILES } from '../file-checks.js';
import { t, tn } from '../i18n.js';
import { fetchProof, isLive, keyProblem, readReceipt, verifyFile } from '../proofs.js';
import { useSignal } from '../signal.js';
import { refresh } from '../use-query.js';
import { DropZone } from '../components/drop-zone.js';
import { Notice } from '../components/feedback.js';
import { FileCard, shownResult, titleId } from '../components/file-card.js';
import { Icon } from '../components/icon.js';
import { KeyField, useKeyField } from '../components/key-field.js';
import { PastedText } from '../components/pasted-text.js';
import { Page } from './page.js';

export function Verify() {
  const field = useKeyField(keyProblem);
  const [portal, setPortal] = useState(false);
  const [banxico, setBanxico] = useState(false);
  const [excess, setExcess] = useState(0);
  const chooser = useRef(null);
  // Each file is sent with the key and the choice of the moment at which its turn comes.
  const choice = useRef(null);
  choice.current = { key: field.key, portal, banxico };
  const [checks] = useState(() => fileChecks(async (file, { portal: wanted, signal }) => {
    const { key, portal: asked, banxico: validated } = choice.current;
    if (isReceipt(file) || isTooLargeForProof(file)) return readReceipt(key, file, { signal });
    const checked = await verifyFile(key, file, { portal: wanted || asked, banxico: validated, signal });
    const isNoProof = checked.status === 400 && checked.error?.details?.reason === 'not_a_proof';
    return isNoProof && mayBeReceipt(file) ? readReceipt(key, file, { signal }) : checked;
  }));
  const entries = useSignal(checks.entries);
  useEffect(() => checks.clear, []);

  const run = async () => {
    if (!field.usable()) return;
    await checks.run();
    refresh();
  };
  const add = (files) => {
    setExcess(checks.add(files));
    if (checks.entries.get().some(({ state }) => state === 'waiting')) run();
  };
  // A button goes with what it did; the focus stays near it.
  const again = (how) => (id) => {
    document.getElementById(titleId(id)).focus();
    how(id);
    run();
  };
  const retry = again(checks.retry);
  const compare = again(checks.compare);
  const remove = (id) => {
    const at = entries.findIndex((entry) => entry.id === id);
    const beside = entries[at + 1] ?? entries[at - 1];
    (beside ? document.getElementById(titleId(beside.id)) : chooser.current).focus();
    checks.remove(id);
    setExcess(0);
  };
  const clear = () => {
    chooser.current.focus();
    checks.clear();
    setExcess(0);
  };

  const waiting = entries.filter(({ state }) => state === 'waiting').length;
  const idle = !entries.some(({ state }) => state === 'checking');
  const help = field.key && !isLive(field.key) ? `${t('verify.key_help')} ${t('verify.key_test')}` : t('verify.key_help');
  return html`
    <${Page} title=${t('nav.verify')} lead=${t('verify.lead')}>
      <div class="panel verify">
        <${KeyField} of=${field} label=${t('verify.key')} help=${help} placeholder="cep_…" testid="verify-key" />
        <${Choice} label=${t('verify.portal')} help=${t('verify.portal_help')} checked=${portal} onChange=${setPortal} testid="verify-portal" />
        <${Choice} label=${t('verify.banxico')} help=${t('verify.banxico_help')} checked=${banxico} onChange=${setBanxico} testid="verify-banxico" />
        <${DropZone} title=${t('verify.drop')} choose=${t('verify.choose')} help=${t('verify.drop_help', { most: MOST_FILES })}
          accept=${ACCEPTED} onFiles=${add} input=${chooser} testid="verify-files" />
        <${PastedText} onText=${(text) => add([new File([text], t('receipt.pasted'), { type: 'text/plain' })])} />
        ${excess > 0 && html`
          <${Notice} tone="warn" testid="verify-excess"><p role="alert">${tn('verify.too_many', excess, { most: MOST_FILES })}</p></${Notice}>`}
        ${idle && waiting > 0 && html`
          <button type="button" class="primary" onClick=${run} data-testid="verify-start"><${Icon} name="verify" />${tn('verify.start', waiting)}</button>`}
      </div>
      <div class="row verify-progress">
        <p role="status">${entries.length > 0 && progress(entries)}</p>
        ${entries.length > 1 && html`<button type="button" class="small" onClick=${clear} data-testid="verify-clear">${t('verify.clear')}</button>`}
      </div>
      <ul class="files" aria-label=${t('verify.files')}>
        ${entries.map((entry) => html`
          <${FileCard} key=${entry.id} entry=${entry} onRetry=${() => retry(entry.id)} onCompare=${() => compare(entry.id)}
            onLookUp=${(body) => fetchProof(choice.current.key, body)} onRemove=${() => remove(entry.id)} />`)}
      </ul>
    </${Page}>`;
}

// Whether something outside is asked, and what that means.
function Choice({ label, help, checked, onChange, testid }) {
  const id = useId();
  return html`
    <div class="field">
      <label class="check">
        <input type="checkbox" checked=${checked} aria-describedby=${id} onChange=${({ target }) => onChange(target.checked)} data-testid=${testid} />
        <span>${label}</span>
      </label>
      <p class="help" id=${id}>${help}</p>
    </div>`;
}

const RESULTS = ['valid', 'sandbox', 'invalid', 'not_checked'];

// `3 of 5 checked · authentic: 2 · not to be trusted: 1`, as a screen reader hears it, too.
function progress(entries) {
  const done = entries.filter(({ state }) => state === 'done');
  const results = done.flatMap(({ result: { proof } }) => (proof ? countedIn(proof).map(shownResult) : []));
  const counts = RESULTS.map((result) => [result, results.filter((each) => each === result).length]);
  const told = counts.filter(([, count]) => count > 0).map(([result, count]) => `${t(`verify.result.${result}`)}: ${count}`);
  return [t('verify.progress', { done: done.length, all: entries.length }), ...told].join(' · ');
}
