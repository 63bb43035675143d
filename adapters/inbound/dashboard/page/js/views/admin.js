// What admins see besides: everybody's accounts, use, and the audit log.

import { html, useEffect, useState } from '../lib.js';
import { count } from '../format.js';
import { t } from '../i18n.js';
import { isId } from '../ids.js';
import { useKeyNames } from '../key-names.js';
import { open } from '../memory.js';
import { ACCOUNTS, ALL, AUDIT } from '../queries.js';
import { Link, place, setQuery } from '../router.js';
import { useConnection } from '../use-query.js';
import { Badge, KeyLink, RequestId, Time } from '../components/facts.js';
import { Empty } from '../components/feedback.js';
import { Field } from '../components/field.js';
import { Listing } from '../components/listing.js';
import { OfAccount } from '../components/of-account.js';
import { Search, useDebounced } from '../components/search.js';
import { UsagePanel } from '../components/usage-panel.js';
import { SetPlan } from '../dialogs/set-plan.js';
import { Page } from './page.js';

const none = (icon) => html`<${Empty} title=${t('admin.none')} icon=${icon}><p class="muted">${t('admin.none_more')}</p></${Empty}>`;

export function Accounts() {
  const [text, setText] = useState('');
  const settled = useDebounced(text.trim());
  const list = useConnection(ACCOUNTS, { text: settled || null }, (data) => data.admin.accounts);
  const columns = [
    {
      key: 'owner', label: t('admin.account'),
      cell: ({ owner }) => html`<span class="stacked"><strong class="break">${owner.subject}</strong><small class="break">${owner.issuer}</small></span>`,
    },
    { key: 'plan', label: t('admin.plan'), cell: ({ plan }) => html`<${Badge} tone="neutral">${t(`plan.${plan}`)}</${Badge}>` },
    { key: 'keys', label: t('admin.active_keys'), tone: 'number', cell: ({ activeKeys }) => count(activeKeys ?? 0) },
    { key: 'used', label: t('admin.used'), tone: 'number', cell: ({ month }) => count(month.used) },
    { key: 'since', label: t('admin.since'), cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
    {
      key: 'actions', label: t('admin.actions'),
      cell: (account) => html`
        <span class="row">
          <${Link} class="button small" to=${`/admin/keys?account=${account.id}`}>${t('nav.keys')}</${Link}>
          <${Link} class="button small" to=${`/admin/usage?account=${account.id}`}>${t('admin.usage')}</${Link}>
          <button type="button" class="small" onClick=${() => open(() => html`<${SetPlan} account=${account} />`)} data-testid="set-plan">${t('plan.action')}</button>
        </span>`,
    },
  ];
  return html`
    <${Page} title=${t('admin.accounts')} lead=${t('admin.accounts_lead')}>
      <section class="panel" aria-label=${t('admin.accounts')}>
        <div class="filters" role="search"><${Search} label=${t('admin.search_accounts')} value=${text} onInput=${setText} /></div>
        <${Listing} list=${list} label=${t('admin.accounts')} columns=${columns} empty=${none('accounts')}
          rowProps=${({ id }) => ({ 'data-testid': 'account-row', 'data-account-id': id })} />
      </section>
    </${Page}>`;
}

export function AdminUsage() {
  const accountId = place.get().query.get('account');
  return html`
    <${Page} title=${t('admin.usage')} lead=${accountId ? html`<${OfAccount} id=${accountId} all="/admin/usage" />` : t('admin.usage_lead')}>
      <${UsagePanel} scope=${ALL} accountId=${accountId} breakdowns=${['OUTCOME', 'ENDPOINT', 'KEY', 'TOTAL']} />
    </${Page}>`;
}

export function Audit() {
  const asked = place.get().query;
  const [keyId, setKey] = useState(asked.get('key') ?? '');
  const [accountId, setAccount] = useState(asked.get('account') ?? '');
  const key = useDebounced(keyId.trim());
  const account = useDebounced(accountId.trim());
  useEffect(() => setQuery({ key, account }), [key, account]);
  const filter = { ...(isId(key) && { keyId: key }), ...(isId(account) && { accountId: account }) };
  const list = useConnection(AUDIT, { filter }, (data) => data.admin.audit);
  const keyOf = useKeyNames(ALL, (list.nodes ?? []).map((entry) => entry.keyId).filter(Boolean));
  const wrong = (id) => (id && !isId(id) ? t('filter.id_shape') : undefined);
  const columns = [
    { key: 'at', label: t('audit.at'), cell: ({ at }) => html`<${Time} at=${at} />` },
    { key: 'action', label: t('audit.action'), cell: ({ action }) => html`<${Badge} tone="neutral">${t(`audit.${action}`)}</${Badge}>` },
    { key: 'actor', label: t('audit.actor'), cell: ({ actor }) => html`<span class="break" title=${actor.issuer}>${actor.subject}</span>` },
    {
      key: 'subject', label: t('audit.subject'),
      cell: (entry) => (entry.keyId
        ? html`
          <${KeyLink} to=${`/admin/keys/${entry.keyId}`} subject=${keyOf(entry.keyId)}>${t('audit.key', { name: keyOf(entry.keyId).name })}</${KeyLink}>`
        : html`<${Link} to=${`/admin/keys?account=${entry.accountId}`}>${t('audit.account', { id: entry.accountId.slice(0, 8) })}</${Link}>`),
    },
    { key: 'changes', label: t('audit.changes'), cell: ({ changes }) => html`<${Changes} of=${changes} />` },
    { key: 'request', label: t('request.id'), cell: ({ requestId }) => html`<${RequestId} id=${requestId} />` },
  ];
  const input = (label, value, set) => html`
    <${Field} label=${label} error=${wrong(value.trim())}>
      ${(control) => html`<input ...${control} type="search" value=${value} autocomplete="off" spellcheck=${false} onInput=${(event) => set(event.target.value)} />`}
    </${Field}>`;
  return html`
    <${Page} title=${t('admin.audit')} lead=${t('admin.audit_lead')}>
      <section class="panel" aria-label=${t('admin.audit')}>
        <div class="filters" role="search">
          ${input(t('filter.key_id'), keyId, setKey)}
          ${input(t('filter.account_id'), accountId, setAccount)}
        </div>
        <${Listing} list=${list} label=${t('admin.audit')} columns=${columns} testid="audit-table" empty=${none('audit')} />
      </section>
    </${Page}>`;
}

const Changes = ({ of: changes }) => html`
  <ul class="changes">
    ${changes.map(({ field, before, after }) => html`
      <li key=${field}><code>${field}</code>${' '}
        ${before !== null && html`<del>${before}</del> <span aria-hidden="true">→</span> `}<ins>${after ?? t('audit.nothing')}</ins>
      </li>`)}
  </ul>`;
