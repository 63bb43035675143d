// Files that people drop on "Verify", proofs and receipts: which of them are sent, and one after the other.

import { signal } from './signal.js';

export const MOST_FILES = 20;
const MOST_BYTES = 1_048_576;
const MOST_BYTES_OF_RECEIPT = 8_388_608;

// What a field for files offers to choose. Others can be dropped: their bytes tell what they are, not their names.
export const ACCEPTED = '.xml,.pdf,.zip,.txt,application/xml,text/xml,application/pdf,application/zip,image/png,image/jpeg,image/webp';

// Pictures and texts are read as receipts; a PDF that is no proof, too.
export const isReceipt = ({ type }) => type.startsWith('image/') || type === 'text/plain';
export const mayBeReceipt = ({ type, name }) => type === 'application/pdf' || /\.pdf$/i.test(name);
export const isTooLargeForProof = ({ size }) => size > MOST_BYTES;

// Why a file isn't sent; null when it is.
function refusalOf(file) {
  if (file.size === 0) return 'empty';
  if (isReceipt(file) || mayBeReceipt(file)) return file.size > MOST_BYTES_OF_RECEIPT ? 'size_of_receipt' : null;
  return file.size > MOST_BYTES ? 'size' : null;
}

let files = 0;

function entryOf(file) {
  const refusal = refusalOf(file);
  return { id: ++files, file, refusal, state: refusal ? 'refused' : 'waiting' };
}

// After these the next file would fare alike: no session, a used-up quota, a limit, a revoked key.
const STOPS = [401, 402, 429];
const stops = ({ status, error }) => STOPS.includes(status) || error?.details?.fields?.some(({ field }) => field === 'key_id');

// Answers about the file itself, which another request for it would get, too. Another key helps where one is refused.
const OF_FILE = [400, 413, 415];
export const maySucceedLater = (result) => !OF_FILE.includes(result?.status) || stops(result);

// The proofs in an answer: that of a file, or those of a ZIP.
export const proofsIn = (answer) => answer.comprobantes ?? [answer];

// Those, and the files of a ZIP that should be proofs and can't be read as such.
export const countedIn = (answer) => [...proofsIn(answer), ...(answer.omitidos ?? []).filter(({ resultado }) => resultado)];

// The files of a page and their results. `send` makes the request for one, given a signal to give up and whether
// the bank is asked in any case.
export function fileChecks(send) {
  const entries = signal([]);
  let running = null;

  const change = (id, values) =>
    entries.set(entries.get().map((entry) => (entry.id === id ? { ...entry, ...values } : entry)));

  async function check({ id, file, portal }) {
    const controller = new AbortController();
    running = { id, controller };
    change(id, { state: 'checking', result: undefined });
    try {
      const result = await send(file, { portal, signal: controller.signal });
      change(id, { state: result.proof || result.receipt ? 'done' : 'failed', result });
      return !stops(result);
    } catch {
      change(id, { state: 'failed' });
      return controller.signal.aborted;
    } finally {
      running = null;
    }
  }

  async function run() {
    if (running) return;
    const waiting = () => entries.get().find(({ state }) => state === 'waiting');
    for (let next = waiting(); next; next = waiting()) if (!await check(next)) return;
  }

  return {
    entries,
    run,
    // Returns how many there was no room for.
    add(added) {
      const room = MOST_FILES - entries.get().length;
      entries.set([...entries.get(), ...added.slice(0, room).map(entryOf)]);
      return Math.max(0, added.length - room);
    },
    retry(id) {
      change(id, { state: 'waiting' });
    },
    // Checks it once more, and asks the bank.
    compare(id) {
      change(id, { state: 'waiting', portal: true });
    },
    remove(id) {
      entries.set(entries.get().filter((entry) => entry.id !== id));
      if (running?.id === id) running.controller.abort();
    },
    clear() {
      entries.set([]);
      running?.controller.abort();
    },
  };
}
