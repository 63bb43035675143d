// Language and theme.

import { html } from '../lib.js';
import { language, setLanguage, t } from '../i18n.js';
import { useSignal } from '../signal.js';
import { theme, toggleTheme } from '../theme.js';
import { Icon } from './icon.js';

const NAMES = { es: 'Español', en: 'English' };

export function Preferences() {
  const other = useSignal(language) === 'es' ? 'en' : 'es';
  const dark = useSignal(theme) === 'dark';
  return html`
    <div class="preferences">
      <button type="button" class="quiet" lang=${other} onClick=${() => setLanguage(other)} data-testid="language">
        <${Icon} name="globe" />${NAMES[other]}
      </button>
      <button type="button" class="quiet" onClick=${toggleTheme} data-testid="theme">
        <${Icon} name=${dark ? 'sun' : 'moon'} />${t(dark ? 'theme.light' : 'theme.dark')}
      </button>
    </div>`;
}
