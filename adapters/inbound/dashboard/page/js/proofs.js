// The REST API as the "try it" form uses it: one proof request with a test key.

import { language, t } from './i18n.js';

const KEY_SHAPE = /^cep_(live|test)_[0-9A-Za-z]{8}\.[0-9A-Za-z]{24}$/;

// Why a key can't be used here; null when it can. A live key has no business in a form.
export function keyProblem(key) {
  if (!key) return t('try.key_missing');
  if (key.startsWith('cep_live_')) return t('try.key_live');
  return KEY_SHAPE.test(key) ? null : t('try.key_shape');
}

// Resolves to what came back, whatever it was; rejects only when nothing did.
export async function fetchProof(key, body) {
  const response = await fetch('/v1/cep/xml_auto', {
    method: 'POST',
    credentials: 'omit',
    cache: 'no-store',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'accept-language': language.get() },
    body: JSON.stringify(body),
  });
  const header = (name) => response.headers.get(name);
  const common = {
    status: response.status,
    requestId: header('x-request-id'),
    inferred: { issuer: header('x-inferred-emisor'), receiver: header('x-inferred-receptor') },
  };
  if (!response.ok) return { ...common, error: await response.json().catch(() => ({})) };
  const file = await response.blob();
  const name = /filename="([^"]+)"/.exec(header('content-disposition') ?? '')?.[1] ?? 'cep.xml';
  return { ...common, file, name, elements: elementsOf(await file.text()) };
}

// What a proof says: its elements, each with its attributes.
function elementsOf(xml) {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  if (document.querySelector('parsererror')) return [];
  return [document.documentElement, ...document.documentElement.children].map((element) => ({
    name: element.localName,
    fields: [...element.attributes].map(({ name, value }) => ({ name, value })),
  }));
}
