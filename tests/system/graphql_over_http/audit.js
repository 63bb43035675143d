// Audits the endpoint in URL with the session in SESSION, and prints what isn't ok as JSON.

import { auditServer } from 'graphql-http';

const { URL: url, SESSION: session } = process.env;

// A session may send thirty requests a second; the auditor sends all of its own at once.
const INTERVAL_MS = 50;
let next = 0;

const fetchFn = async (address, init = {}) => {
  next = Math.max(next + INTERVAL_MS, Date.now());
  await new Promise((resolve) => setTimeout(resolve, next - Date.now()));
  return fetch(address, { ...init, headers: { ...init.headers, cookie: `cep_session=${session}` } });
};

const results = await auditServer({ url, fetchFn });
const found = results.filter(({ status }) => status !== 'ok');
console.log(JSON.stringify({
  audits: results.length,
  found: found.map(({ id, status, name, reason }) => ({ id, status, name, reason })),
}));
