// What people were sent, read, checked and looked up with the session. `keyId` is the key that is charged.

import { rest } from './api.js';

// Seconds that the end of a lookup is waited for. One that somebody waits for is made before the others; what comes
// later is followed.
const WAIT = 2;

const asked = (choices) => Object.entries(choices).filter(([, wanted]) => wanted).map(([name]) => [name, 'true']);

async function post(path, query, request) {
  const { response, ...common } = await rest(`/v1/cep/${path}?${new URLSearchParams(query)}`, { method: 'POST', ...request });
  return response ? { ...common, answer: await response.json() } : common;
}

// The type says nothing of the file: its bytes do.
const postFile = (path, query, file, signal) => post(path, query, { type: 'application/octet-stream', body: file, signal });

// The fields of a receipt.
export async function readReceipt(keyId, file, { signal }) {
  const { answer: receipt, ...result } = await postFile('receipts', { key_id: keyId }, file, signal);
  return { ...result, receipt };
}

// The checks of a proof; `portal` has the bank asked too, `banxico` its validator of seals.
export async function verifyFile(keyId, file, { portal, banxico, signal }) {
  const query = [['key_id', keyId], ...asked({ portal, banxico })];
  const { answer: proof, ...result } = await postFile('verify', query, file, signal);
  return { ...result, proof };
}

// The lookup of a payment, which may go on.
export async function lookUp(keyId, body, repeatKey) {
  const request = { type: 'application/json', body: JSON.stringify(body), repeatKey, wait: WAIT };
  const { answer: lookup, ...result } = await post('lookups', { key_id: keyId }, request);
  return { ...result, lookup };
}
