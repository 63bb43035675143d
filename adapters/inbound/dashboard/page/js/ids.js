// Ids as the server writes them, UUIDs mostly, and the names that people gave them.

const SHAPE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

// Half an id is no question yet.
export const isId = (text) => SHAPE.test(text);

// What a request id is made of; anything else was never one.
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;
export const isRequestId = (text) => REQUEST_ID.test(text);

// Names of keys by their ids, as far as they are known.
export function namesOf(keys) {
  const names = new Map((keys ?? []).map((key) => [key.id, key.name]));
  return (id) => names.get(id) ?? `${id.slice(0, 8)}…`;
}
