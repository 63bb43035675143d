// Audits the endpoint in URL with the session in SESSION, and prints what isn't ok as JSON.

import { auditServer } from 'graphql-http';

const { URL: url, SESSION: session } = process.env;

const fetchFn = (address, init = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, cookie: `cep_session=${session}` } });

const results = await auditServer({ url, fetchFn });
const found = results.filter(({ status }) => status !== 'ok');
console.log(JSON.stringify({
  audits: results.length,
  found: found.map(({ id, status, name, reason }) => ({ id, status, name, reason })),
}));
