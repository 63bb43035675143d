// The bank's own batch, which a person carries: its files to upload there, and its ZIP file brought back.

import { html, useRef, useState } from '../lib.js';
import { rest, unreachable } from '../api.js';
import { ARCHIVES, archiveRefusal, importArchive, MOST_ARCHIVE_BYTES, onlyFile } from '../batch-requests.js';
import { count, dateTime, size } from '../format.js';
import { t, tn } from '../i18n.js';
import { say } from '../memory.js';
import { saveFile } from '../save-file.js';
import { refresh } from '../use-query.js';
import { deliveredRows, lookedUp } from './batch-facts.js';
import { Button } from './button.js';
import { ChosenFile, DropZone, RefusedFile } from './drop-zone.js';
import { Notice } from './feedback.js';
import { Icon } from './icon.js';
import { Refusal } from './refusal.js';

export function BankBatch({ of: batch }) {
  const { counts } = batch;
  // Those whose payment was returned, rejected or canceled are among them: the server tells when too few are left.
  const open = lookedUp(counts) - deliveredRows(counts) - counts.canceled;
  const [unfolded, setUnfolded] = useState(false);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(null);

  const download = async () => {
    setBusy(true);
    setResult(null);
    const answer = await rest(batch.files.banxico).catch(unreachable);
    setBusy(false);
    if (answer.error) {
      setResult(answer);
      return;
    }
    saveFile(await answer.response.blob(), `banxico-${batch.id}.zip`);
    say(t('bank_batch.saved'));
  };

  return html`
    <details class="panel folded" open=${unfolded} onToggle=${({ target }) => setUnfolded(target.open)} data-testid="bank-batch">
      <summary><h2>${t('bank_batch.title')}</h2></summary>
      <div class="bank-batch">
        <p class="muted">${t('bank_batch.lead')}</p>
        <ol class="steps">
          <li><strong>${t('bank_batch.download')}</strong>
            <span class="muted">${open > 0 ? tn('bank_batch.open', open) : t('bank_batch.none_open')}</span>
            <span><${Button} blocked=${open < 2 || busy} onClick=${download} data-testid="banxico">
              <${Icon} name="download" />${t(busy ? 'state.working' : 'bank_batch.save')}</${Button}></span>
          </li>
          <li><strong>${t('bank_batch.carry')}</strong><span class="muted">${t('bank_batch.carry_more')}</span></li>
          <li><strong>${t('bank_batch.bring')}</strong><span class="muted">${t('bank_batch.bring_more')}</span></li>
        </ol>
        ${result && html`<div role="alert"><${Refusal} result=${result} /></div>`}
        <${Import} id=${batch.id} seen=${unfolded} />
      </div>
    </details>`;
}

// Takes files only while it is `seen`: they may be dropped anywhere on the page.
function Import({ id, seen }) {
  const [file, setFile] = useState(null);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState(null);
  const outcome = useRef(null);

  const choose = (files) => {
    if (!files.length || busy) return;
    const { file: chosen = null, refused: refusal = null } = onlyFile(files, archiveRefusal);
    setFile(chosen);
    setRefused(refusal);
    setResult(null);
  };
  const bring = async () => {
    setBusy(true);
    setResult(null);
    const answer = await importArchive(id, file).catch(unreachable);
    setBusy(false);
    setResult(answer);
    refresh();
    if (answer.error) return;
    // The button goes with the file; the focus goes to what became of it.
    outcome.current?.focus();
    setFile(null);
  };

  return html`
    ${seen && html`
      <${DropZone} title=${t('bank_batch.drop')} choose=${t('bank_batch.choose')} help=${t('bank_batch.drop_help', { most: size(MOST_ARCHIVE_BYTES) })}
        accept=${ARCHIVES} onFiles=${choose} multiple=${false} testid="import-file" />`}
    ${file && html`
      <${ChosenFile} file=${file}>
        <${Button} class="primary" blocked=${busy} onClick=${bring} data-testid="import-start"><${Icon} name="upload" />${t(busy ? 'state.working' : 'bank_batch.import')}</${Button}>
      </${ChosenFile}>`}
    <div role="status" class="import-result" ref=${outcome} tabindex="-1">
      ${busy && html`<p>${t('bank_batch.importing')}</p>`}
      ${refused && html`<${RefusedFile} of=${refused} most=${MOST_ARCHIVE_BYTES} testid="import-refused" />`}
      ${result?.error && html`<${Refusal} result=${result} />`}
      ${result?.answer && html`<${Report} of=${result.answer} />`}
    </div>`;
}

// Words for a reason; the row, the differing fields and the bank's word for the payment are a part of some.
const reasonOf = ({ reason, row, fields, payment }) => t(`import.reason.${reason}`, {
  row: row && count(row), fields: fields.map((field) => t(`import.field.${field}`)).join(', '), payment: payment?.text,
});

const useOf = ({ row, visto: seen }) => [
  t('import.to_row', { row: count(row) }),
  seen?.veces > 0 && tn('import.seen', seen.veces, { at: dateTime(seen.primera_vez) }),
].filter(Boolean).join('. ');

const FileList = ({ files, words, testid }) => html`
  <ul class="hints break" data-testid=${testid}>
    ${files.map((file, i) => html`<li key=${i}><code>${file.name}</code>: ${words(file)}</li>`)}
  </ul>`;

function Report({ of: { delivered, used, unused } }) {
  return html`
    <${Notice} tone=${unused.length ? 'warn' : 'ok'} testid="import-report">
      <p><strong>${tn('import.done', delivered.length)}</strong> ${unused.length > 0 && tn('import.not_used', unused.length)}</p>
    </${Notice}>
    ${unused.length > 0 && html`
      <h3>${t('import.unused')}</h3>
      <${FileList} files=${unused} words=${reasonOf} testid="import-unused" />`}
    ${used.length > 0 && html`
      <details class="more small" open=${used.some(({ visto: seen }) => seen?.veces > 0)}>
        <summary>${t('import.used')}</summary>
        <${FileList} files=${used} words=${useOf} testid="import-used" />
      </details>`}`;
}
