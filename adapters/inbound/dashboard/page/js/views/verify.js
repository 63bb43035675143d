// Checks what people were sent, proofs and receipts: files, one after the other, each with its result.

import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { BATCH_KEYS } from '../batch-queries.js';
import { ACCEPTED, countedIn, fileChecks, isReceipt, isTooLargeForProof, mayBeReceipt, MOST_FILES } from '../file-checks.js';
import { t, tn } from '../i18n.js';
import { lookUp, readReceipt, verifyFile } from '../sent-files.js';
import { bringIntoSight } from '../sight.js';
import { useSignal } from '../signal.js';
import { refresh, useAllNodes } from '../use-query.js';
import { ChargedKey, useChargedKey } from '../components/charged-key.js';
import { CreateButton } from '../components/create-button.js';
import { DropZone } from '../components/drop-zone.js';
import { EnvironmentBadge } from '../components/facts.js';
import { Empty, Failed, Notice, Skeleton } from '../components/feedback.js';
import { FileCard, shownResult, titleId } from '../components/file-card.js';
import { Icon } from '../components/icon.js';
import { PastedText } from '../components/pasted-text.js';
import { Page } from './page.js';

export function Verify() {
  const { nodes: keys, error, reload } = useAllNodes(BATCH_KEYS, { first: 100 }, (data) => data.keys);
  return html`
    <${Page} title=${t('nav.verify')} lead=${t('verify.lead')}>
      ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(keys)} />`}
      ${!keys ? !error && html`<div class="panel"><${Skeleton} lines=${6} /></div>`
        : keys.length ? html`<${Files} keys=${keys} />`
          : html`<div class="panel"><${Empty} title=${t('new_batch.no_keys')} icon="key"><p class="muted">${t('verify.no_keys_more')}</p><${CreateButton} /></${Empty}></div>`}
    </${Page}>`;
}

function Files({ keys }) {
  const charged = useChargedKey(keys);
  const [portal, setPortal] = useState(false);
  const [banxico, setBanxico] = useState(false);
  const [excess, setExcess] = useState(0);
  const chooser = useRef(null);
  // Each file is sent with the key and the choice of the moment at which its turn comes.
  const choice = useRef(null);
  choice.current = { key: charged.key.id, portal, banxico };
  const [checks] = useState(() => fileChecks(async (file, { portal: wanted, signal }) => {
    const { key, portal: asked, banxico: validated } = choice.current;
    if (isReceipt(file) || isTooLargeForProof(file)) return readReceipt(key, file, { signal });
    const checked = await verifyFile(key, file, { portal: wanted || asked, banxico: validated, signal });
    const isNoProof = checked.status === 400 && checked.error?.details?.reason === 'not_a_proof';
    return isNoProof && mayBeReceipt(file) ? readReceipt(key, file, { signal }) : checked;
  }));
  const entries = useSignal(checks.entries);
  useEffect(() => checks.clear, []);
  const shown = useRef(0);
  useEffect(() => {
    const first = entries[shown.current];
    if (first) bringIntoSight(document.getElementById(titleId(first.id)));
    shown.current = entries.length;
  }, [entries.length]);

  const run = async () => {
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
  const addText = (text) => add([new File([text], t('receipt.pasted'), { type: 'text/plain' })]);
  return html`
    <div class="panel verify">
      <${DropZone} title=${t('verify.drop')} choose=${t('verify.choose')} camera=${t('verify.camera')} help=${t('verify.drop_help', { most: MOST_FILES })}
        accept=${ACCEPTED} onFiles=${add} onText=${addText} input=${chooser} testid="verify-files" />
      <${PastedText} onText=${addText} />
      <${ChargedKey} keys=${keys} of=${charged} label=${t('verify.key')} testid="verify-key" />
      <p class="help" data-testid="verify-charged">${t('verify.charged', { name: charged.key.name })} ${charged.key.env === 'TEST' && html`<${EnvironmentBadge} environment="TEST" /> ${t('verify.key_test')}`}</p>
      <details class="more" data-testid="verify-options">
        <summary>${t('verify.options')}</summary>
        <${Choice} label=${t('verify.portal')} help=${t('verify.portal_help')} checked=${portal} onChange=${setPortal} testid="verify-portal" />
        <${Choice} label=${t('verify.banxico')} help=${t('verify.banxico_help')} checked=${banxico} onChange=${setBanxico} testid="verify-banxico" />
      </details>
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
          onLookUp=${(body, repeatKey) => lookUp(choice.current.key, body, repeatKey)} onRemove=${() => remove(entry.id)} />`)}
    </ul>`;
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
