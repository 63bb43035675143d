// Options of a new batch: the files that are kept of each proof, the time in which a row is tried, its name.

import { html } from '../lib.js';
import { howLong } from '../format.js';
import { t } from '../i18n.js';
import { Choice, Field, Select } from './field.js';

const FORMATS = ['xml', 'xml,pdf'];
const TIMES = [0, 3_600, 21_600, 86_400, 259_200];
const MAX_NAME = 100;

export const usualOptions = { formats: FORMATS[0], retryFor: '86400', name: '' };

export function BatchOptions({ value, onChange }) {
  const change = (name) => (next) => onChange((old) => ({ ...old, [name]: next }));
  const times = TIMES.map((seconds) => [String(seconds), seconds ? howLong(seconds) : t('new_batch.once')]);
  return html`
    <${Choice} legend=${t('new_batch.formats')} name="formats" value=${value.formats} onChange=${change('formats')} testid="batch-formats"
      options=${FORMATS.map((key) => ({ key, label: t(key === 'xml' ? 'new_batch.xml' : 'new_batch.xml_pdf'), help: t(key === 'xml' ? 'new_batch.xml_help' : 'new_batch.xml_pdf_help') }))} />
    <div class="form-grid">
      <${Select} label=${t('new_batch.retry_for')} value=${value.retryFor} onChange=${change('retryFor')} options=${times} testid="batch-retry-for" />
      <${Field} label=${t('new_batch.name')}>
        ${(control) => html`
          <input ...${control} type="text" maxlength=${MAX_NAME} autocomplete="off" value=${value.name}
            onInput=${({ target }) => change('name')(target.value)} data-testid="batch-name" />`}
      </${Field}>
    </div>
    <p class="help">${t('new_batch.retry_help')}</p>`;
}
