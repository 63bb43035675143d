// What a receipt says against what the proof of its payment says, field by field.

const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
const words = (text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const withoutBlanks = (text) => plain(text).replace(/[\s-]/g, '');

// Receipts and proofs leave out or cut short parts of a name.
function isSameName(read, name) {
  const [few, many] = [words(read), words(name)].sort((one, other) => one.length - other.length);
  return few.every((word) => many.some((other) => other.startsWith(word) || word.startsWith(other)));
}

// An account of which the first or last digits are shown: `****1234`, `4152****1234`.
export const isMasked = (read) => read.includes('*');

export function fitsMask(mask, account) {
  const [beginning, ending] = mask.split(/\*+/);
  return account.startsWith(beginning) && account.endsWith(ending);
}

// Of a masked account the shown digits are compared. Null where one is a card or a phone and the other is not: both may
// lead to one account.
function isSameAccount(read, account) {
  if (isMasked(read)) return fitsMask(read, account);
  return read.length === account.length ? read === account : null;
}

// Of each field: the values of the proof, of which one is enough, and how a value of the receipt is compared with one.
const FIELDS = {
  clave_rastreo: [({ clave_rastreo: key }) => [key], (read, key) => withoutBlanks(read) === withoutBlanks(key)],
  // After 18:00 and on holidays the operation date is another day.
  fecha: [({ fecha_operacion: operation, fecha_abono: credit }) => [credit, operation], (read, date) => read === date],
  monto: [({ monto }) => [monto], (read, amount) => Number(read) === Number(amount)],
  cuenta: [({ beneficiario }) => [beneficiario.cuenta], isSameAccount],
  receptor: [({ receptor }) => [receptor.codigo], (read, code) => read === code],
  emisor: [({ emisor }) => [emisor.codigo], (read, code) => read === code],
  nombre_beneficiario: [({ beneficiario }) => [beneficiario.nombre], (read, name) => (read.includes('*') ? null : isSameName(read, name))],
};

// The fields that both have, and that can be compared. A value in doubt may be misread, so that it tells nothing. Names
// don't decide: that on a receipt is what the payer typed, and no bank compares it with the account's.
export function compared(read, cep) {
  return Object.entries(FIELDS).flatMap(([name, [of, isSame]]) => {
    const given = read[name];
    const proved = of(cep).filter((value) => value !== null && value !== undefined);
    if (!given || given.confianza === 'low' || !proved.length) return [];
    const results = proved.map((value) => isSame(given.valor, value));
    if (results.every((result) => result === null)) return [];
    // What is shown is the value that is the same, if there is one.
    const shown = proved[Math.max(results.indexOf(true), 0)];
    return [{ name, read: given.valor, proved: shown, same: results.includes(true), decides: name !== 'nombre_beneficiario' }];
  });
}
