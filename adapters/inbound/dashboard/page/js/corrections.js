// Corrections of a table's cells, which are kept beside the file and sent with it. One is of the row on a `line`, or
// of each row whose cell is `from`; `was` is what the file has in the cell.

const isSame = (one, other) => one.field === other.field && one.line === other.line && one.from === other.from;

const found = (corrections, wanted) => corrections.find((one) => isSame(one, wanted));

// As the server takes them.
export const sentForm = (corrections) => JSON.stringify(corrections.map(({ line, from, field, value }) => ({ line, from, field, value })));

export const without = (corrections, taken) => corrections.filter((one) => !isSame(one, taken));

function withOne(corrections, made) {
  return found(corrections, made)
    ? corrections.map((one) => (isSame(one, made) ? made : one))
    : [...corrections, made];
}

// What the other rows with the same cell get.
const valueOfAlike = (corrections, { field, was }) => found(corrections, { field, from: was })?.value ?? was;

export const valueOf = (corrections, line, cell) =>
  found(corrections, { line, field: cell.field })?.value ?? valueOfAlike(corrections, cell);

export function withValue(corrections, line, cell, value) {
  const made = { line, field: cell.field, value, was: cell.was };
  return value === valueOfAlike(corrections, cell) ? without(corrections, made) : withOne(corrections, made);
}

// Of the rows with the same cell, those that were given another value keep it.
export function withValueInAll(corrections, cell, value) {
  const { field, was } = cell;
  const others = corrections.filter((one) => one.line === undefined || one.field !== field || one.was !== was || one.value !== value);
  return withOne(others, { field, from: was, value, was });
}

// What the file has in a cell that shows `present` after these corrections.
function whatWas(corrections, line, field, present) {
  const own = found(corrections, { line, field });
  const ofValue = () => corrections.find((one) => one.line === undefined && one.field === field && one.value.trim() === present);
  return (own ?? ofValue())?.was ?? present;
}

export const BANKS = ['emisor', 'receptor'];
const CORRECTABLE = ['fecha', 'clave_rastreo', 'numero_referencia', 'cuenta', 'monto', ...BANKS, 'id'];

// The fields to correct. Where the values were read, the banks are unclear; they may follow from a wrong account or key.
function fieldsOf({ question, errors }) {
  if (question && errors.some(({ problem }) => problem === 'same_institution')) return ['clave_rastreo', 'cuenta', ...BANKS];
  if (question) return [...(errors.some(({ expected }) => expected) ? ['clave_rastreo'] : []), ...BANKS];
  return [...new Set(errors.map(({ field }) => field))].filter((field) => CORRECTABLE.includes(field));
}

// Where digits were lost, cells may look the same and have been different ones.
const LOST = ['shortened', 'rounded'];

const isOfValueAlone = ({ question }, faults) => !question && faults.every(({ problem }) => !LOST.includes(problem));

const valuesOf = ({ written, question }) => written ?? question ?? {};

function cellsOf(row, corrections) {
  const values = valuesOf(row);
  return fieldsOf(row).map((field) => {
    const faults = row.errors.filter((error) => error.field === field);
    const was = whatWas(corrections, row.line, field, values[field] ?? '');
    const alike = isOfValueAlone(row, faults) && JSON.stringify([field, was, faults.map(({ problem }) => problem)]);
    return { field, was, faults, alike };
  });
}

// By which a person knows the payment, in lines.
const KNOWN_BY = [['id'], ['clave_rastreo'], ['monto', 'fecha']];

function toldOf(row, cells) {
  const values = { ...row, ...valuesOf(row) };
  const told = (field) => !cells.some((cell) => cell.field === field) && values[field];
  return KNOWN_BY.map((fields) => fields.map(told).filter(Boolean).join(' · ')).filter(Boolean);
}

// The faulty rows of a check that was made with these corrections. `alike` of a cell is the number of rows in which
// the same mistake is in the same value; `others` are the errors of no cell; `told` are lines that tell the payment.
export function faultyRows({ rejected }, corrections) {
  const rows = rejected.filter(({ state }) => state === 'faulty').map((row) => ({ ...row, cells: cellsOf(row, corrections) }));
  const counts = new Map();
  for (const { alike } of rows.flatMap(({ cells }) => cells)) counts.set(alike, (counts.get(alike) ?? 0) + 1);
  return rows.map(({ line, errors, cells, ...row }) => ({
    line,
    told: toldOf(row, cells),
    cells: cells.map((cell) => ({ ...cell, alike: cell.alike ? counts.get(cell.alike) : 1 })),
    others: errors.filter(({ field }) => !cells.some((cell) => cell.field === field)),
  }));
}

const PLACE = /^corrections\[(\d+)\]/;

// The messages of a refused check by the indexes of the corrections that they are about.
export function refusedCorrections(result) {
  const messages = new Map();
  for (const { field, message } of result?.error?.details?.fields ?? []) {
    const [, index] = PLACE.exec(field) ?? [];
    if (index !== undefined) messages.set(Number(index), [...(messages.get(Number(index)) ?? []), message]);
  }
  return messages;
}
