// The REST API as "Try it" uses it: requests with a key that a person gave.

import { language, t } from './i18n.js';

const KEY_SHAPE = /^cep_(live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$/;

// Why a key can't be used; null when it can. A live key has no business in a form.
export function testKeyProblem(key) {
  if (!key) return t('try.key_missing');
  if (key.startsWith('cep_live_')) return t('try.key_live');
  return KEY_SHAPE.test(key) ? null : t('try.key_shape');
}

// Resolves to what came back, whatever it was; rejects only when nothing did.
async function post(path, key, body) {
  const response = await fetch(`/v1/cep/${path}`, {
    method: 'POST',
    credentials: 'omit',
    cache: 'no-store',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'accept-language': language.get() },
    body: JSON.stringify(body),
  });
  const common = { status: response.status, requestId: response.headers.get('x-request-id') };
  return response.ok
    ? { ...common, response }
    : { ...common, error: await response.json().catch(() => ({})) };
}

// The fields of a proof, its seal and its earlier deliveries.
export async function fetchProof(key, body) {
  const { response, ...common } = await post('json_auto', key, body);
  if (!response) return common;
  const inferred = { issuer: response.headers.get('x-inferred-emisor'), receiver: response.headers.get('x-inferred-receptor') };
  return { ...common, proof: await response.json(), inferred };
}

// The bank's file, `xml` or `pdf`, and its name.
export async function fetchFile(format, key, body) {
  const { response, ...common } = await post(`${format}_auto`, key, body);
  if (!response) return common;
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `cep.${format}`;
  return { ...common, name, file: await response.blob() };
}
