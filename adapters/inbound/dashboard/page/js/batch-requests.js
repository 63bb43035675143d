// Tables of payments: which files are sent, their check, and the batches that are made of them.

import { rest } from './api.js';

export const MOST_TABLE_BYTES = 16_777_216;
export const MOST_ARCHIVE_BYTES = 67_108_864;

// A field of a table, in the order of the API; the first four are needed.
export const COLUMNS = ['fecha', 'clave_rastreo', 'cuenta', 'monto', 'emisor', 'receptor', 'id'];
export const NEEDED = COLUMNS.slice(0, 4);

// Files that a field for files offers to choose.
export const TABLES = '.csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson';
export const ARCHIVES = '.zip,application/zip';

const typeOf = ({ name }) => (/\.(ndjson|jsonl)$/i.test(name) ? 'application/x-ndjson' : 'text/csv');

function sizeRefusal({ size }, most, large) {
  if (size === 0) return 'empty';
  return size > most ? large : null;
}

// Reason for which a file isn't sent; null when it is.
export function tableRefusal(file) {
  if (/\.zip$/i.test(file.name)) return 'zip';
  return /\.(csv|tsv|txt|ndjson|jsonl)$/i.test(file.name) ? sizeRefusal(file, MOST_TABLE_BYTES, 'large_table') : 'table';
}
export const archiveRefusal = (file) =>
  (/\.zip$/i.test(file.name) ? sizeRefusal(file, MOST_ARCHIVE_BYTES, 'large_archive') : 'archive');

// The file of those that were dropped or chosen, as `file`, or the reason for which none is sent, as `refused`.
export function onlyFile(files, refusalOf) {
  const refusal = files.length > 1 ? 'several' : refusalOf(files[0]);
  return refusal ? { refused: { name: files.map(({ name }) => name).join(', '), refusal } } : { file: files[0] };
}

// `columns`: the numbers of columns by the fields that a person assigned; 0 is no column.
async function post(path, { file, type, values = {}, columns = {}, repeatKey }, signal) {
  const query = new URLSearchParams(values);
  const assigned = Object.entries(columns).map(([field, number]) => `${field}:${number}`);
  if (assigned.length) query.set('columns', assigned.join());
  const { response, ...common } = await rest(`/v1/cep/batches${path}?${query}`, { method: 'POST', type, body: file, signal, repeatKey });
  return response ? { ...common, answer: await response.json() } : common;
}

export const checkTable = (file, keyId, columns, signal) =>
  post('', { file, type: typeOf(file), values: { key_id: keyId, dry_run: 'true' }, columns }, signal);

// Key by which the gateway recognises a request that is sent again, because its answer was lost.
export const newRepeatKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

export function createBatch(file, keyId, columns, { formats, retryFor, name }, repeatKey) {
  const values = { key_id: keyId, formats, retry_for: retryFor, ...(name && { name }) };
  return post('', { file, type: typeOf(file), values, columns, repeatKey });
}

export const importArchive = (id, file) => post(`/${id}/import`, { file, type: 'application/zip' });
