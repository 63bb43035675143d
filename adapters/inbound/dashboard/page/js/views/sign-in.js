// Where somebody without a session stands, at the beginning or in the middle.

import { html, useEffect, useRef } from '../lib.js';
import { t } from '../i18n.js';
import { place } from '../router.js';
import { useSignal } from '../signal.js';
import { Icon } from '../components/icon.js';
import { Preferences } from '../components/preferences.js';
import { useTitle } from './page.js';

export const signInAddress = () => `/login?return_to=${encodeURIComponent(location.pathname + location.search)}`;

export function SignIn({ ended }) {
  const heading = useRef(null);
  useEffect(() => {
    if (ended) heading.current.focus();
  }, []);
  // Whoever goes back, or on, signs in to there.
  useSignal(place);
  useTitle(t('sign_in.action'));
  return html`
    <main class="sign-in" id="content" tabindex="-1">
      <div class="panel sign-in-panel">
        <p class="brand"><span class="brand-mark"><${Icon} name="check" /></span>${t('app.name')}</p>
        <h1 ref=${heading} tabindex="-1">${t(ended ? 'sign_in.ended' : 'sign_in.title')}</h1>
        <p class="muted">${t(ended ? 'sign_in.ended_more' : 'sign_in.intro')}</p>
        <a class="button primary wide" href=${signInAddress()} data-testid="sign-in">${t('sign_in.action')}</a>
        <p class="muted small">${t('sign_in.privacy')}</p>
      </div>
      <${Preferences} />
    </main>`;
}
