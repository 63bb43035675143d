// The frame of the page: navigation, who is signed in, and the view of the place.

import { html, useEffect, useState } from '../lib.js';
import { signOut } from '../api.js';
import { t } from '../i18n.js';
import { freshTestKey, say } from '../memory.js';
import { BASE, Link, match, place } from '../router.js';
import { useSignal } from '../signal.js';
import { Empty } from '../components/feedback.js';
import { Icon } from '../components/icon.js';
import { Preferences } from '../components/preferences.js';
import { Accounts, AdminUsage, Audit } from './admin.js';
import { BatchDetail } from './batch-detail.js';
import { Batches } from './batches.js';
import { KeyDetail } from './key-detail.js';
import { Keys } from './keys.js';
import { LookupDetail } from './lookup-detail.js';
import { Lookups } from './lookups.js';
import { NewBatch } from './new-batch.js';
import { OwnAccounts } from './own-accounts.js';
import { Overview } from './overview.js';
import { Page } from './page.js';
import { Requests } from './requests.js';
import { Try } from './try.js';
import { Verify } from './verify.js';
import { WebhookDetail } from './webhook-detail.js';
import { Webhooks } from './webhooks.js';

const ROUTES = [
  { pattern: '/', view: () => html`<${Overview} />`, icon: 'overview', label: 'nav.overview' },
  { pattern: '/keys', view: () => html`<${Keys} />`, icon: 'key', label: 'nav.keys' },
  { pattern: '/keys/:id', view: ({ id }) => html`<${KeyDetail} key=${id} id=${id} />` },
  { pattern: '/requests', view: () => html`<${Requests} />`, icon: 'requests', label: 'nav.requests' },
  { pattern: '/lookups', view: () => html`<${Lookups} />`, icon: 'lookups', label: 'nav.lookups' },
  { pattern: '/lookups/:id', view: ({ id }) => html`<${LookupDetail} key=${id} id=${id} />` },
  { pattern: '/batches', view: () => html`<${Batches} />`, icon: 'batches', label: 'nav.batches' },
  { pattern: '/batches/new', view: () => html`<${NewBatch} />` },
  { pattern: '/batches/:id', view: ({ id }) => html`<${BatchDetail} key=${id} id=${id} />` },
  { pattern: '/webhooks', view: () => html`<${Webhooks} />`, icon: 'webhooks', label: 'nav.webhooks' },
  { pattern: '/webhooks/:id', view: ({ id }) => html`<${WebhookDetail} key=${id} id=${id} />` },
  { pattern: '/accounts', view: () => html`<${OwnAccounts} />`, icon: 'bank', label: 'nav.own_accounts' },
  { pattern: '/try', view: () => html`<${Try} />`, icon: 'try', label: 'nav.try' },
  { pattern: '/verify', view: () => html`<${Verify} />`, icon: 'verify', label: 'nav.verify' },
];

const ADMIN_ROUTES = [
  { pattern: '/admin/accounts', view: () => html`<${Accounts} />`, icon: 'accounts', label: 'admin.accounts' },
  { pattern: '/admin/keys', view: (_, query) => html`<${Keys} admin key=${query.get('account')} />`, icon: 'key', label: 'admin.keys' },
  { pattern: '/admin/keys/:id', view: ({ id }) => html`<${KeyDetail} key=${`all ${id}`} id=${id} admin />` },
  { pattern: '/admin/usage', view: (_, query) => html`<${AdminUsage} key=${query.get('account')} />`, icon: 'overview', label: 'admin.usage' },
  { pattern: '/admin/requests', view: () => html`<${Requests} admin />`, icon: 'requests', label: 'admin.requests' },
  { pattern: '/admin/audit', view: () => html`<${Audit} />`, icon: 'audit', label: 'admin.audit' },
];

function viewOf({ path, query }, admin) {
  if (path === '/admin' || path.startsWith('/admin/')) {
    if (!admin) return html`<${Forbidden} />`;
    if (path === '/admin') return html`<${Accounts} />`;
  }
  for (const route of admin ? [...ROUTES, ...ADMIN_ROUTES] : ROUTES) {
    const values = match(route.pattern, path);
    if (values) return html`<div key=${route.pattern}>${route.view(values, query)}</div>`;
  }
  return html`<${Nowhere} />`;
}

export function Shell({ viewer }) {
  const where = useSignal(place);
  const [menu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [where]);
  const admin = viewer.role === 'ADMIN';
  return html`
    <div class="shell">
      <a class="skip" href="#content">${t('nav.skip')}</a>
      <header class="side">
        <div class="side-top">
          <${Link} class="brand" to="/"><span class="brand-mark"><${Icon} name="check" /></span>${t('app.name')}</${Link}>
          <button type="button" class="menu-toggle" aria-expanded=${menu ? 'true' : 'false'} aria-controls="menu" onClick=${() => setMenu(!menu)}>
            <${Icon} name=${menu ? 'close' : 'menu'} />${t('nav.menu')}
          </button>
        </div>
        <div id="menu" class=${`side-menu ${menu ? 'open' : ''}`}>
          <nav aria-label=${t('nav.main')}>
            <${Entries} routes=${ROUTES} path=${where.path} />
          </nav>
          ${admin && html`
            <nav aria-labelledby="admin-nav-title" data-testid="admin-nav">
              <h2 id="admin-nav-title" class="nav-title">${t('nav.admin')}</h2>
              <${Entries} routes=${ADMIN_ROUTES} path=${where.path} />
            </nav>`}
          <div class="side-foot">
            <${Preferences} />
            <${Person} viewer=${viewer} />
          </div>
        </div>
      </header>
      <main id="content" tabindex="-1">${viewOf(where, admin)}</main>
    </div>`;
}

const current = (pattern, path) => path === pattern || (pattern !== '/' && path.startsWith(`${pattern}/`));

const Entries = ({ routes, path }) => html`
  <ul class="nav-list">
    ${routes.filter(({ label }) => label).map(({ pattern, icon, label }) => html`
      <li key=${pattern}>
        <${Link} to=${pattern} aria-current=${current(pattern, path) ? 'page' : undefined}><${Icon} name=${icon} />${t(label)}</${Link}>
      </li>`)}
  </ul>`;

function Person({ viewer }) {
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    try {
      const provider = await signOut();
      freshTestKey.set(null);
      location.assign(provider ?? BASE);
    } catch (error) {
      setBusy(false);
      say(error.message);
    }
  };
  return html`
    <div class="person">
      <p class="stacked">
        <strong class="break">${viewer.displayName ?? viewer.owner.subject}</strong>
        <small>${t(`role.${viewer.role}`)} · ${t('person.plan', { plan: t(`plan.${viewer.account.plan}`) })}</small>
      </p>
      <button type="button" class="quiet" onClick=${leave} disabled=${busy} data-testid="sign-out"><${Icon} name="leave" />${t('person.sign_out')}</button>
    </div>`;
}

const Forbidden = () => html`
  <${Page} title=${t('forbidden.title')}>
    <div class="panel" data-testid="forbidden">
      <${Empty} title=${t('forbidden.what')} icon="forbid">
        <p class="muted">${t('forbidden.more')}</p>
        <${Link} class="button" to="/">${t('forbidden.back')}</${Link}>
      </${Empty}>
    </div>
  </${Page}>`;

const Nowhere = () => html`
  <${Page} title=${t('nowhere.title')}>
    <div class="panel">
      <${Empty} title=${t('nowhere.what')}><${Link} class="button" to="/">${t('forbidden.back')}</${Link}></${Empty}>
    </div>
  </${Page}>`;
