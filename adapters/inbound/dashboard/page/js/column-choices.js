// The columns of a table by the fields that they hold: as the server recognised them, and as a person chose.

import { NEEDED, TOLD_BY } from './batch-requests.js';

// The number of a field that is left out.
export const NOWHERE = 0;

// The numbers of columns by field. A chosen column isn't any more what it was recognised as.
export function placesOf(columns, choices) {
  const chosen = Object.values(choices);
  const recognised = columns.filter(({ field, number }) => field && !(field in choices) && !chosen.includes(number));
  return { ...Object.fromEntries(recognised.map(({ field, number }) => [field, number])), ...choices };
}

// True for a needed field that neither has a column nor is told by others.
export const isMissing = (field, places) =>
  NEEDED.includes(field) && ![field, ...(TOLD_BY[field] ?? [])].some((told) => places[told]);

// True once no needed field is missing, and for each of the `unclear` ones something was chosen.
export function isComplete(columns, choices, unclear) {
  const places = placesOf(columns, choices);
  const isTold = (field) => (TOLD_BY[field] ?? []).some((told) => places[told]);
  return NEEDED.every((field) => !isMissing(field, places)) && unclear.every((field) => field in places || isTold(field));
}

// The choices with one more. A column holds one field: the one that was chosen last.
export function withChoice(choices, field, number) {
  const others = Object.entries(choices).filter(([name, taken]) => name !== field && (taken === NOWHERE || taken !== number));
  return { ...Object.fromEntries(others), [field]: number };
}
