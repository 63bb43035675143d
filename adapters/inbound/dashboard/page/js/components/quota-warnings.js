// Warns of keys whose month is nearly, or wholly, used up.

import { html } from '../lib.js';
import { count, month, percent, utcDay } from '../format.js';
import { t } from '../i18n.js';
import { Link } from '../router.js';
import { NEAR_QUOTA, quotaShare } from './facts.js';
import { Notice } from './feedback.js';

export function QuotaWarnings({ keys, linked = true }) {
  const near = keys
    .filter((key) => key.state !== 'REVOKED' && quotaShare(key) >= NEAR_QUOTA)
    .sort((a, b) => quotaShare(b) - quotaShare(a));
  return near.map((key) => {
    const full = quotaShare(key) >= 1;
    const values = {
      name: key.name,
      share: percent(quotaShare(key)),
      quota: count(key.monthlyQuota),
      month: month(key.month.month),
      date: utcDay(key.month.resetAt),
    };
    return html`
      <${Notice} key=${key.id} tone=${full ? 'bad' : 'warn'} testid="quota-warning">
        <p><strong>${t(full ? 'quota.full' : 'quota.near', values)}</strong> ${t(full ? 'quota.full_more' : 'quota.near_more', values)}
        ${linked && html`${' '}<${Link} to=${`/keys/${key.id}`}>${t('quota.see')}</${Link}>`}</p>
      </${Notice}>`;
  });
}
