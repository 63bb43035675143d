// Says that only one account is shown, and leads to all.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { Link } from '../router.js';

export const OfAccount = ({ id, all }) => html`
  <span>${t('admin.of_account')} <code>${id}</code> · <${Link} to=${all}>${t('admin.all_accounts')}</${Link}></span>`;
