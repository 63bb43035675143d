// Spanish and English: the texts of the page by their keys.

import en from './i18n/en.js';
import es from './i18n/es.js';
import { signal } from './signal.js';
import { keep, remembered } from './storage.js';

const TEXTS = { es, en };
const LOCALES = { es: 'es-MX', en: 'en-US' };

function preferred() {
  const kept = remembered('language');
  if (kept in TEXTS) return kept;
  const wished = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wished.find((tag) => tag in TEXTS) ?? 'es';
}

export const language = signal(preferred());

export const locale = () => LOCALES[language.get()];

export function setLanguage(next) {
  keep('language', next);
  document.documentElement.lang = next;
  language.set(next);
}

document.documentElement.lang = language.get();

export function t(key, values = {}) {
  const text = TEXTS[language.get()][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// A text that depends on a number: `key.one` or `key.other`.
export function tn(key, count, values = {}) {
  const rule = new Intl.PluralRules(locale()).select(count) === 'one' ? 'one' : 'other';
  const shown = new Intl.NumberFormat(locale()).format(count);
  return t(`${key}.${rule}`, { count: shown, ...values });
}
