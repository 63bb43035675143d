// Own accounts: those that payments are received on.

import { html } from '../lib.js';
import { t } from '../i18n.js';
import { open } from '../memory.js';
import { OWN_ACCOUNTS } from '../own-account-queries.js';
import { useQuery } from '../use-query.js';
import { Time } from '../components/facts.js';
import { Empty, Failed, Skeleton } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Table } from '../components/table.js';
import { AddOwnAccount, RemoveOwnAccount } from '../dialogs/own-account-dialogs.js';
import { Page } from './page.js';

const Remove = ({ of }) => html`
  <button type="button" class="danger-quiet" aria-label=${t('own_accounts.remove_named', { name: of.name })} data-testid="remove-own-account"
    onClick=${() => open(() => html`<${RemoveOwnAccount} subject=${of} />`)}>${t('own_accounts.remove')}</button>`;

const columns = () => [
  { key: 'name', label: t('own_accounts.name'), cell: ({ name }) => html`<span class="break">${name}</span>` },
  { key: 'account', label: t('own_accounts.cuenta'), cell: ({ cuenta }) => html`<code class="break">${cuenta}</code>` },
  { key: 'bank', label: t('own_accounts.receptor'), cell: ({ banco, receptor }) => html`<span class="stacked"><span>${banco}</span><small>${receptor}</small></span>` },
  { key: 'added', label: t('own_accounts.added_at'), cell: ({ addedAt }) => html`<${Time} at=${addedAt} />` },
  { key: 'remove', label: t('own_accounts.change'), cell: (own) => html`<${Remove} of=${own} />` },
];

const Add = () => html`
  <button type="button" class="primary" onClick=${() => open(() => html`<${AddOwnAccount} />`)} data-testid="add-own-account"><${Icon} name="plus" />${t('own_accounts.add')}</button>`;

export function OwnAccounts() {
  const { data, error, reload } = useQuery(OWN_ACCOUNTS, {}, { live: true });
  const accounts = data?.ownAccounts;
  return html`
    <${Page} title=${t('nav.own_accounts')} lead=${t('own_accounts.lead')} actions=${html`<${Add} />`}>
      <section class="panel" aria-label=${t('nav.own_accounts')}>
        ${error && html`<${Failed} error=${error} retry=${reload} stale=${Boolean(accounts)} />`}
        ${!accounts ? !error && html`<${Skeleton} lines=${4} />`
          : accounts.length ? html`
            <${Table} label=${t('nav.own_accounts')} rows=${accounts} columns=${columns()} testid="own-accounts-table"
              rowProps=${({ id }) => ({ 'data-testid': 'own-account-row', 'data-account-id': id })} />`
            : html`<${Empty} title=${t('own_accounts.none')} icon="bank"><p class="muted">${t('own_accounts.none_more')}</p></${Empty}>`}
      </section>
    </${Page}>`;
}
