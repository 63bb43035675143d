// The server: GraphQL and files with the session's cookie, and signing out.

import { language, t } from './i18n.js';

export class ApiError extends Error {
  constructor(code, message, requestId) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

const sessionListeners = new Set();

// Tells when the server knows no session any more.
export function onSessionEnd(listener) {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
}

function failed(code, message, requestId) {
  if (code === 'UNAUTHENTICATED') for (const listener of sessionListeners) listener();
  return new ApiError(code, message, requestId);
}

// A request that nothing came back from, as `rest` tells those that were refused.
export const unreachable = (error) => ({
  status: null,
  error: { error: 'NETWORK', message: error instanceof ApiError ? error.message : t('error.unexpected') },
});

async function send(path, init) {
  let response;
  try {
    response = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...init });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('NETWORK', t('error.network'), null);
  }
  return response;
}

const headers = () => ({
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-language': language.get(),
});

export async function graphql(query, variables = {}, { signal } = {}) {
  const body = JSON.stringify({ query, variables });
  const response = await send('/graphql', { method: 'POST', headers: headers(), body, signal });
  const id = response.headers.get('x-request-id');
  const answer = await response.json().catch((error) => {
    if (error.name === 'AbortError') throw error;
    return null;
  });
  const [error] = answer?.errors ?? [];
  if (error) {
    const { code = 'INTERNAL_ERROR', request_id: given } = error.extensions ?? {};
    throw failed(code, error.message, given ?? id);
  }
  if (!response.ok || !answer?.data) {
    throw failed(answer?.error ?? 'INTERNAL_ERROR', answer?.message ?? t('error.unexpected'), id);
  }
  return answer.data;
}

// A request of the REST API with the session. Resolves to what came back, whatever it was; rejects only when
// nothing did.
export async function rest(path, { method = 'GET', type, body, signal, repeatKey, wait } = {}) {
  const given = {
    accept: '*/*',
    'accept-language': language.get(),
    ...(type && { 'content-type': type }),
    ...(repeatKey && { 'idempotency-key': repeatKey }),
    ...(wait && { prefer: `wait=${wait}` }),
  };
  const response = await send(path, { method, headers: given, body, signal });
  const repeated = response.headers.has('idempotent-replayed');
  const common = { status: response.status, requestId: response.headers.get('x-request-id'), repeated };
  if (response.ok) return { ...common, response };
  const answer = await response.json().catch(() => ({}));
  const { error = 'INTERNAL_ERROR', message = t('error.unexpected'), details } = answer;
  failed(error, message, common.requestId);
  return { ...common, error: { error, message, details } };
}

// Ends the session here; answers where the provider ends its own.
export async function signOut() {
  const response = await send('/logout', { method: 'POST', headers: headers(), body: '{}' });
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    const message = answer?.message ?? t('error.unexpected');
    throw new ApiError(answer?.error ?? 'INTERNAL_ERROR', message, response.headers.get('x-request-id'));
  }
  return answer?.sign_out_url ?? null;
}
