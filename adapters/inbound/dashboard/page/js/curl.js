// Lines to paste: a proof request with a key, and the creation of a stored lookup.

import { todayInMexico } from './format.js';

// The sandbox finds any well-formed transfer. Both banks are inferred from this one, whose tracking
// key names the day as keys of its bank do.
export function exampleBody() {
  const fecha = todayInMexico();
  return {
    fecha,
    clave_rastreo: `MBAN0100${fecha.slice(2).replaceAll('-', '')}0000000001`,
    cuenta: '002010077777777771',
    monto: 1234.56,
  };
}

export function curlLine(key) {
  const body = JSON.stringify(exampleBody());
  return `curl -fsS ${location.origin}/v1/cep/xml_auto -o cep.xml \\\n`
    + `  -H 'x-api-key: ${key}' \\\n  -H 'content-type: application/json' \\\n`
    + `  -d '${body}'`;
}

export function lookupCurlLine(key) {
  const body = JSON.stringify({ ...exampleBody(), formats: ['xml', 'pdf'], metadata: { pedido: 'A-1042' } });
  return `curl -fsS ${location.origin}/v1/cep/lookups \\\n`
    + `  -H 'x-api-key: ${key}' \\\n  -H 'content-type: application/json' \\\n`
    + `  -d '${body}'`;
}
