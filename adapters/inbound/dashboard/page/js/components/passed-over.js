// Rows of a table that aren't rows of its batch, by the reason.

import { html } from '../lib.js';
import { count } from '../format.js';
import { tn } from '../i18n.js';
import { Notice } from './feedback.js';

const MOST_LINES = 12;

// The first of so many lines.
export const listed = (rows, lines) => lines.slice(0, MOST_LINES).map(count).join(', ') + (rows > MOST_LINES ? '…' : '');

export const PassedOver = ({ of: groups }) => groups.map(({ reason, rows, lines }) => html`
  <${Notice} key=${reason} testid=${`dry-run-${reason.toLowerCase()}`}><p>${tn(`dry_run.${reason.toLowerCase()}`, rows, { lines: listed(rows, lines) })}</p></${Notice}>`);
