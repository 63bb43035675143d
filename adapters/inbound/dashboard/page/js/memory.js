// What lives as long as the page: the newest test key's secret, so that it can be tried at once,
// and the dialog that is open. None of it is stored.

import { signal } from './signal.js';

export const freshTestKey = signal(null);
export const dialog = signal(null);
export const notice = signal(null);

export const open = (render) => dialog.set(render);
export const close = () => dialog.set(null);

let notices = 0;

// Says something briefly, aloud too.
export const say = (text) => notice.set({ text, id: ++notices });
