// What lives as long as the page: the newest test key's secret, so that it can be tried at once, the dialog that is
// open, and a table for the next new batch with its key and options. None of it is stored.

import { signal } from './signal.js';

export const freshTestKey = signal(null);
export const dialog = signal(null);
export const notice = signal(null);
export const tableAtHand = signal(null);

// What must be asked before the open dialog may go without its own buttons; null when it may.
let question = null;

export function open(render) {
  question = null;
  dialog.set(render);
}

export const close = () => open(null);

export function askBefore(ask) {
  question = ask;
  return () => {
    if (question === ask) question = null;
  };
}

// The page under the dialog goes away: so does the dialog, or else it asks.
export const dismiss = () => (question ? question() : close());

let notices = 0;

// Says something briefly, aloud too.
export const say = (text) => notice.set({ text, id: ++notices });
