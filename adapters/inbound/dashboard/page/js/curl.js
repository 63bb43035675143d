// A line to paste: one proof request with a key.

import { todayInMexico } from './format.js';

// The sandbox finds any well-formed transfer; this one infers both banks.
export const exampleBody = () => ({
  fecha: todayInMexico(),
  clave_rastreo: 'MBAN01002611200000000001',
  cuenta: '002010077777777771',
  monto: 1234.56,
});

export function curlLine(key) {
  const body = JSON.stringify(exampleBody());
  return `curl -fsS ${location.origin}/v1/cep/xml_auto -o cep.xml \\\n`
    + `  -H 'x-api-key: ${key}' \\\n  -H 'content-type: application/json' \\\n`
    + `  -d '${body}'`;
}
