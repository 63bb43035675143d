// The bank's own batch, which a person carries: its files to upload there, and its ZIP file brought back.

import { html, useRef, useState } from '../lib.js';
import { rest } from '../api.js';
import { ARCHIVES, archiveRefusal, importArchive, MOST_ARCHIVE_BYTES } from '../batch-requests.js';
import { count, size } from '../format.js';
import { t, tn } from '../i18n.js';
import { say } from '../memory.js';
import { saveFile } from '../save-file.js';
import { refresh } from '../use-query.js';
import { DropZone } from './drop-zone.js';
import { Notice } from './feedback.js';
import { Icon } from './icon.js';
import { Refusal } from './refusal.js';

const unreachable = ({ message }) => ({ status: 503, error: { error: 'NETWORK', message } });

export function BankBatch({ of: batch }) {
  const { counts } = batch;
  const open = counts.rows - counts.faulty - counts.duplicates - counts.delivered - counts.canceled;
  const [unfolded, setUnfolded] = useState(false);
  const [busy, setBusy] = useState(null);
  const [refused, setRefused] = useState(null);
  const [result, setResult] = useState(null);
  const chooser = useRef(null);

  const download = async () => {
    setBusy('download');
    setResult(null);
    const answer = await rest(batch.files.banxico).catch(unreachable);
    setBusy(null);
    if (answer.error) {
      setResult(answer);
      return;
    }
    saveFile(await answer.response.blob(), `banxico-${batch.id}.zip`);
    say(t('bank_batch.saved'));
  };
  const bring = async ([file]) => {
    if (!file || busy) return;
    setUnfolded(true);
    const refusal = archiveRefusal(file);
    setRefused(refusal && { name: file.name, refusal });
    setResult(null);
    if (refusal) return;
    setBusy('bring');
    setResult(await importArchive(batch.id, file).catch(unreachable));
    setBusy(null);
    refresh();
  };

  return html`
    <details class="panel folded" open=${unfolded} onToggle=${({ target }) => setUnfolded(target.open)} data-testid="bank-batch">
      <summary><h2>${t('bank_batch.title')}</h2></summary>
      <div class="bank-batch">
        <p class="muted">${t('bank_batch.lead')}</p>
        <ol class="steps">
          <li><strong>${t('bank_batch.download')}</strong>
            <span class="muted">${open > 0 ? tn('bank_batch.open', open) : t('bank_batch.none_open')}</span>
            <span><button type="button" disabled=${open < 2 || busy !== null} onClick=${download} data-testid="banxico">
              <${Icon} name="download" />${t(busy === 'download' ? 'state.working' : 'bank_batch.save')}</button></span>
          </li>
          <li><strong>${t('bank_batch.carry')}</strong><span class="muted">${t('bank_batch.carry_more')}</span></li>
          <li><strong>${t('bank_batch.bring')}</strong><span class="muted">${t('bank_batch.bring_more')}</span></li>
        </ol>
        <${DropZone} title=${t('bank_batch.drop')} choose=${t('bank_batch.choose')} help=${t('bank_batch.drop_help', { most: size(MOST_ARCHIVE_BYTES) })}
          accept=${ARCHIVES} onFiles=${bring} input=${chooser} multiple=${false} testid="import-file" />
        <div role="status" class="import-result">
          ${busy === 'bring' && html`<p>${t('bank_batch.importing')}</p>`}
          ${refused && html`<${Notice} tone="bad" testid="import-refused"><p><strong class="break">${refused.name}</strong>: ${t(`new_batch.refused.${refused.refusal}`, { most: size(MOST_ARCHIVE_BYTES) })}</p></${Notice}>`}
          ${result?.error && html`<${Refusal} result=${result} />`}
          ${result?.answer && html`<${Report} of=${result.answer} />`}
        </div>
      </div>
    </details>`;
}

function Report({ of: { delivered, present, rejected, ignored } }) {
  const facts = [[t('import.delivered'), delivered.length], [t('import.present'), present], [t('import.rejected'), rejected.length], [t('import.ignored'), ignored]];
  return html`
    <${Notice} tone=${rejected.length ? 'warn' : 'ok'} testid="import-report">
      <p><strong>${tn('import.done', delivered.length)}</strong></p>
    </${Notice}>
    <dl class="pairs narrow">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${count(value)}</dd></div>`)}</dl>
    ${rejected.length > 0 && html`
      <h3>${t('import.rejected_title')}</h3>
      <ul class="hints">
        ${rejected.map(({ fecha, clave_rastreo: key, reason }, i) => html`<li key=${i}><code>${key}</code> (${fecha}): ${t(`import.reason.${reason}`)}</li>`)}
      </ul>`}`;
}
