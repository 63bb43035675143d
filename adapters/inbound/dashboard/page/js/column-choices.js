// The columns of a table by the fields that they hold: as the server recognised them, and as a person chose.

import { NEEDED } from './batch-requests.js';

// The number of a field that is left out.
export const NOWHERE = 0;

// The numbers of columns by field. A chosen column isn't any more what it was recognised as.
export function placesOf(columns, choices) {
  const chosen = Object.values(choices);
  const recognised = columns.filter(({ field, number }) => field && !(field in choices) && !chosen.includes(number));
  return { ...Object.fromEntries(recognised.map(({ field, number }) => [field, number])), ...choices };
}

// True once each needed field has a column, and for each of the `unclear` ones something was chosen.
export function isComplete(columns, choices, unclear) {
  const places = placesOf(columns, choices);
  return NEEDED.every((field) => places[field]) && unclear.every((field) => field in places);
}

// The choices with one more. A column holds one field: the one that was chosen last.
export function withChoice(choices, field, number) {
  const others = Object.entries(choices).filter(([name, taken]) => name !== field && (taken === NOWHERE || taken !== number));
  return { ...Object.fromEntries(others), [field]: number };
}
