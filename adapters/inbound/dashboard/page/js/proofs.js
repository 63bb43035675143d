// The REST API as "Try it" and "Verify" use it: requests with a key that a person gave.

import { language, t } from './i18n.js';

const KEY_SHAPE = /^cep_(live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$/;

export const isLive = (key) => key.startsWith('cep_live_');

// Why a key can't be used; null when it can.
export function keyProblem(key) {
  if (!key) return t('verify.key_missing');
  return KEY_SHAPE.test(key) ? null : t('verify.key_shape');
}

// Where proofs are asked for, a live key has no business in a form.
export function testKeyProblem(key) {
  if (!key) return t('try.key_missing');
  if (isLive(key)) return t('try.key_live');
  return KEY_SHAPE.test(key) ? null : t('try.key_shape');
}

// Resolves to what came back, whatever it was; rejects only when nothing did.
async function post(path, key, type, body, signal) {
  const response = await fetch(`/v1/cep/${path}`, {
    method: 'POST',
    credentials: 'omit',
    cache: 'no-store',
    headers: { 'x-api-key': key, 'content-type': type, 'accept-language': language.get() },
    body,
    signal,
  });
  const common = { status: response.status, requestId: response.headers.get('x-request-id') };
  return response.ok
    ? { ...common, response }
    : { ...common, error: await response.json().catch(() => ({})) };
}

async function postForJson(...request) {
  const { response, ...common } = await post(...request);
  return response ? { ...common, headers: response.headers, proof: await response.json() } : common;
}

// The fields of a proof, its seal and its earlier deliveries.
export async function fetchProof(key, body) {
  const { headers, ...result } = await postForJson('json_auto', key, 'application/json', JSON.stringify(body));
  const inferred = { issuer: headers?.get('x-inferred-emisor'), receiver: headers?.get('x-inferred-receptor') };
  return { ...result, inferred };
}

// The bank's file, `xml` or `pdf`, and its name.
export async function fetchFile(format, key, body) {
  const { response, ...common } = await post(`${format}_auto`, key, 'application/json', JSON.stringify(body));
  if (!response) return common;
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `cep.${format}`;
  return { ...common, name, file: await response.blob() };
}

// The fields of a receipt that somebody sent.
export async function readReceipt(key, file, { signal }) {
  const { proof: receipt, headers, ...result } = await postForJson('receipts', key, 'application/octet-stream', file, signal);
  return { ...result, receipt };
}

// The checks of a file that somebody sent; `portal` has the bank asked too, `banxico` its validator of seals.
export async function verifyFile(key, file, { portal, banxico, signal }) {
  const asked = Object.entries({ portal, banxico }).filter(([, wanted]) => wanted).map(([name]) => [name, 'true']);
  const path = `verify?${new URLSearchParams(asked)}`;
  const { headers, ...result } = await postForJson(path, key, 'application/octet-stream', file, signal);
  return result;
}
