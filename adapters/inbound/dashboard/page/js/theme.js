// Light or dark: the system's choice, unless the person chose the other one.

import { signal } from './signal.js';
import { forget, keep } from './storage.js';

const system = matchMedia('(prefers-color-scheme: dark)');

const chosen = () => document.documentElement.dataset.theme;
const effective = () => chosen() ?? (system.matches ? 'dark' : 'light');

export const theme = signal(effective());
system.addEventListener('change', () => theme.set(effective()));

export function toggleTheme() {
  const next = effective() === 'dark' ? 'light' : 'dark';
  const systems = system.matches ? 'dark' : 'light';
  if (next === systems) {
    delete document.documentElement.dataset.theme;
    forget('theme');
  } else {
    document.documentElement.dataset.theme = next;
    keep('theme', next);
  }
  theme.set(next);
}
