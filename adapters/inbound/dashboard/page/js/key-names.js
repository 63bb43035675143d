// Who keys are: their names, and for admins their owners, asked for when an id is on the screen that
// nobody knows yet.

import { graphql } from './api.js';
import { useEffect } from './lib.js';
import { signal, useSignal } from './signal.js';
import { edition } from './use-query.js';

// Each key is a visit to the store; one request may make some forty.
const AT_ONCE = 20;

const directories = new Map();
const lessons = signal(0);

function directoryOf(scope) {
  if (!directories.has(scope)) directories.set(scope, { keys: new Map(), asked: new Set() });
  return directories.get(scope);
}

// After a change: the known names are shown until they are asked for again.
edition.follow(() => directories.forEach(({ asked }) => asked.clear()));

async function learn(scope, ids) {
  const { keys, asked } = directoryOf(scope);
  const unknown = [...new Set(ids)].filter((id) => !asked.has(id));
  for (const id of unknown) asked.add(id);
  for (let from = 0; from < unknown.length; from += AT_ONCE) {
    const some = unknown.slice(from, from + AT_ONCE);
    const variables = Object.fromEntries(some.map((id, i) => [`id${i}`, id]));
    try {
      const found = scope.of(await graphql(scope.names(some.length), variables));
      some.forEach((id, i) => keys.set(id, found[`key${i}`]));
    } catch {
      // Their ids say enough for now; whoever shows them next asks again.
      for (const id of unknown.slice(from)) asked.delete(id);
      return;
    }
    lessons.set(lessons.get() + 1);
  }
}

// What is known of a key by its id; as long as that is nothing, the beginning of its id is its name.
export function useKeyNames(scope, ids) {
  const changes = useSignal(edition);
  useSignal(lessons);
  useEffect(() => {
    learn(scope, ids);
  }, [scope, ids.join(), changes]);
  const { keys } = directoryOf(scope);
  return (id) => keys.get(id) ?? { id, name: `${id.slice(0, 8)}…` };
}

// In one line, with the owner where it is known.
export const titleOf = ({ name, owner }) => (owner ? `${name} · ${owner.subject}` : name);
