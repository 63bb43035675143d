// Tables of payments: which files are sent, their check, and the batches that are made of them.

import { rest } from './api.js';
import { sentForm } from './corrections.js';

export const MOST_TABLE_BYTES = 16_777_216;
export const MOST_ARCHIVE_BYTES = 67_108_864;

// A field of a table, in the order of the API.
export const COLUMNS = ['fecha', 'clave_rastreo', 'numero_referencia', 'cuenta', 'monto', 'emisor', 'receptor', 'id', 'texto', 'cargo', 'abono'];
// These are needed, or told by others.
export const NEEDED = ['fecha', 'clave_rastreo', 'cuenta', 'monto'];
export const TOLD_BY = { clave_rastreo: ['texto', 'numero_referencia'], cuenta: ['texto'], monto: ['cargo', 'abono'] };

// Media types of tables by the endings of their names.
const TABLE_TYPES = {
  csv: 'text/csv',
  tsv: 'text/csv',
  txt: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  xls: 'application/vnd.ms-excel',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
};

// Files that a field for files offers to choose.
export const TABLES = [...Object.keys(TABLE_TYPES).map((ending) => `.${ending}`), ...new Set(Object.values(TABLE_TYPES))].join();
export const ARCHIVES = '.zip,application/zip';

const typeOf = ({ name }) => TABLE_TYPES[/[^.]*$/.exec(name)[0].toLowerCase()];

function sizeRefusal({ size }, most, large) {
  if (size === 0) return 'empty';
  return size > most ? large : null;
}

// Reason for which a file isn't sent; null when it is.
export function tableRefusal(file) {
  if (/\.zip$/i.test(file.name)) return 'zip';
  return typeOf(file) ? sizeRefusal(file, MOST_TABLE_BYTES, 'large_table') : 'table';
}
export const archiveRefusal = (file) =>
  (/\.zip$/i.test(file.name) ? sizeRefusal(file, MOST_ARCHIVE_BYTES, 'large_archive') : 'archive');

// The file of those that were dropped or chosen, as `file`, or the reason for which none is sent, as `refused`.
export function onlyFile(files, refusalOf) {
  const refusal = files.length > 1 ? 'several' : refusalOf(files[0]);
  return refusal ? { refused: { name: files.map(({ name }) => name).join(', '), refusal } } : { file: files[0] };
}

async function post(path, query, { type, body, repeatKey, signal }) {
  const { response, ...common } = await rest(`/v1/cep/batches${path}?${new URLSearchParams(query)}`, { method: 'POST', type, body, signal, repeatKey });
  return response ? { ...common, answer: await response.json() } : common;
}

// `columns`: the numbers of columns by the fields that a person assigned; 0 is no column. `sheet`: the name of the
// workbook's sheet that a person chose. `skip`: rows that the file calls answered are passed over. `corrections`: new
// values of cells.
function postTable(file, values, { columns, sheet, skip, corrections }, more) {
  const assigned = Object.entries(columns).map(([field, number]) => `${field}:${number}`).join();
  const query = { ...values, ...(sheet && { sheet }), ...(skip && { skip_answered: 'true' }), ...(assigned && { columns: assigned }) };
  const type = typeOf(file);
  if (!corrections.length) return post('', query, { type, body: file, ...more });
  const form = new FormData();
  // Systems have other types for the same endings.
  form.append('file', new File([file], file.name, { type }));
  form.append('corrections', sentForm(corrections));
  return post('', query, { body: form, ...more });
}

export const checkTable = (file, keyId, table, signal) => postTable(file, { key_id: keyId, dry_run: 'true' }, table, { signal });

export const createBatch = (file, keyId, table, { formats, retryFor, name }, repeatKey) =>
  postTable(file, { key_id: keyId, formats, retry_for: retryFor, ...(name && { name }) }, table, { repeatKey });

export const importArchive = (id, file) => post(`/${id}/import`, {}, { type: 'application/zip', body: file });
