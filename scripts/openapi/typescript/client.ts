// Uses a generated client against a gateway over the sandbox bank.
//
// Usage: node client.js ADDRESS API_KEY

import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [address, apiKey] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: address, headers: { 'x-api-key': apiKey } });

function check(condition: boolean, fault: string): asserts condition {
  if (!condition) throw new Error(fault);
}

const transfer = {
  fecha: '2025-01-31',
  clave_rastreo: 'MBAN01002501310001234567',
  cuenta: '002010077777777771',
  monto: 1234.56,
};
const banks = { emisor: '40012', receptor: '40002' };

const file = await client.POST('/v1/cep/xml_auto', { body: transfer, parseAs: 'text' });
check(file.response.status === 200, `xml_auto: ${file.response.status}`);
check(String(file.data).includes('<SPEI_Tercero'), 'xml_auto: no proof');

const checked = await client.POST('/v1/cep/verify', {
  body: String(file.data),
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'application/xml' },
});
// A file is answered by itself, a ZIP by its files.
const proof = checked.data && 'comprobaciones' in checked.data ? checked.data : undefined;
check(proof?.resultado === 'valid', `verify: ${checked.response.status}`);
check(proof.comprobaciones.some((it) => it.nombre === 'sello'), 'verify: no check of the seal');

const envelope = await client.POST('/v1/cep/base64', { body: { ...transfer, ...banks } });
check(envelope.data?.content_type === 'application/pdf', 'base64: no envelope');
check(Buffer.from(envelope.data.data, 'base64').subarray(0, 5).toString() === '%PDF-', 'base64: no PDF');

const faulty = await client.POST('/v1/cep/pdf', { body: { ...transfer, ...banks, fecha: '2025-02-30' } });
check(faulty.error?.error === 'INVALID_REQUEST', 'a faulty date is accepted');
check(faulty.error.details?.fields?.[0]?.field === 'fecha', 'the faulty field is not named');

const stranger = await client.GET('/admin/keys', { params: { query: { limit: 5, state: ['active'] } } });
check(stranger.response.status === 401 || stranger.response.status === 404, 'an admin endpoint is open');

const probe = await client.GET('/readyz');
check(probe.data?.status === 'ready', 'not ready');
console.log('TypeScript client: ok');
