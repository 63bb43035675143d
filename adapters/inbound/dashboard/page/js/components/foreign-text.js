// A text that a stranger wrote, as one of a proof: it turns nothing around it, and hides no character.

import { html } from '../lib.js';

// Control characters, marks of direction (UAX #9) and invisible characters.
const HIDDEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu;

export const ForeignText = ({ text }) => html`<bdi>${text.replace(HIDDEN, '\uFFFD')}</bdi>`;
