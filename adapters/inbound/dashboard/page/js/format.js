// Numbers, times and durations as people read them.

import { locale } from './i18n.js';

const made = new Map();

function formatter(kind, options) {
  const key = `${kind.name} ${locale()} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, new kind(locale(), options));
  return made.get(key);
}

const date = (instant, options) => formatter(Intl.DateTimeFormat, options).format(new Date(instant));

export const count = (value) => formatter(Intl.NumberFormat, {}).format(value);

// Of a number, or of a decimal string, which keeps all its digits.
export const money = (value) =>
  `$${formatter(Intl.NumberFormat, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value)} MXN`;

// To the nearest tenth; but only all is 100 %, and 99.96 % is 99.9 %.
export function percent(share) {
  const shown = share < 1 ? Math.min(share, 0.999) : share;
  return formatter(Intl.NumberFormat, { style: 'percent', maximumFractionDigits: 1 }).format(shown);
}

const SIZES = [
  [1_048_576, 'MiB'],
  [1024, 'KiB'],
  [1, 'B'],
];

// The size of a file.
export function size(bytes) {
  const [unit, name] = SIZES.find(([least]) => bytes >= least) ?? SIZES.at(-1);
  return `${formatter(Intl.NumberFormat, { maximumSignificantDigits: 3 }).format(bytes / unit)}\u00a0${name}`;
}

export function duration(milliseconds, digits = 3) {
  const rounded = Number(milliseconds.toPrecision(digits));
  const [value, unit] = rounded >= 1000 ? [rounded / 1000, 's'] : [rounded, 'ms'];
  return `${formatter(Intl.NumberFormat, { maximumSignificantDigits: digits }).format(value)}\u00a0${unit}`;
}

// A percentile is read off a histogram whose steps double; more digits would be made up.
export const roughly = (milliseconds) => `≈\u00a0${duration(milliseconds, 2)}`;

// The year is said when it isn't this one.
export function dateTime(instant) {
  const year = new Date(instant).getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' };
  return date(instant, { ...year, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
}

export const exactTime = (instant) => date(instant, { dateStyle: 'long', timeStyle: 'long' });

// A date and a time of a calendar, `2026-11-20` and `10:53:36`, wherever the reader is.
export const wallTime = (day, time) => date(`${day}T${time}Z`, { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' });

export const utcDay = (instant) => date(instant, { dateStyle: 'long', timeZone: 'UTC' });

// The name of a month such as `2026-11`.
export const month = (text) => date(`${text}-15T00:00:00Z`, { month: 'long', year: 'numeric', timeZone: 'UTC' });

const STEPS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function relative(instant, now = Date.now()) {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const words = formatter(Intl.RelativeTimeFormat, { numeric: 'auto' });
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  return step ? words.format(Math.trunc(seconds / step[1]), step[0]) : words.format(0, 'second');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

// A rough time in words, `3 minutes`: to the unit above which it is two or more, rounded up.
export function howLong(seconds, unitDisplay = 'long') {
  const [unit, length] = UNITS.find(([, each]) => seconds > 1.5 * each) ?? UNITS.at(-1);
  return formatter(Intl.NumberFormat, { style: 'unit', unit, unitDisplay }).format(Math.max(1, Math.ceil(seconds / length)));
}

// Today in Mexico City, `YYYY-MM-DD`: the calendar of payments.
export function todayInMexico(now = new Date()) {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: 'America/Mexico_City', year: 'numeric', month: '2-digit', day: '2-digit',
  }).formatToParts(now);
  const part = (type) => parts.find((each) => each.type === type).value;
  return `${part('year')}-${part('month')}-${part('day')}`;
}

// A slot of a chart. Hours are shown in the reader's time zone; days and months are UTC's, as the
// counters are.
const SLOTS = {
  HOUR: { short: { hour: '2-digit', minute: '2-digit' }, long: { dateStyle: 'medium', timeStyle: 'short' } },
  DAY: { short: { day: 'numeric', month: 'short', timeZone: 'UTC' }, long: { dateStyle: 'full', timeZone: 'UTC' } },
  MONTH: { short: { month: 'short', timeZone: 'UTC' }, long: { month: 'long', year: 'numeric', timeZone: 'UTC' } },
};

export const slotShort = (instant, granularity) => date(instant, SLOTS[granularity].short);
export const slotLong = (instant, granularity) => date(instant, SLOTS[granularity].long);
