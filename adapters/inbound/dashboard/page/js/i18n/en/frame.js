// English. One key a line, in the order of `../es/frame.js`.
export default {
  'app.name': 'CEP Gateway',

  'action.cancel': 'Cancel',
  'action.close': 'Close',
  'action.refresh': 'Refresh',
  'action.retry': 'Try again',

  'state.loading': 'Loading…',
  'state.working': 'One moment…',

  'error.title': "That didn't work.",
  'error.stale': 'This may be out of date.',
  'error.network': "The server can't be reached. Check your connection and try again.",
  'error.unexpected': 'The server answered something unexpected. Try again in a moment.',
  'error.request_id': 'Request id:',

  'nav.main': 'Main',
  'nav.menu': 'Menu',
  'nav.skip': 'Skip to content',
  'nav.overview': 'Overview',
  'nav.keys': 'API keys',
  'nav.requests': 'Requests',
  'nav.lookups': 'Lookups',
  'nav.batches': 'Batches',
  'nav.webhooks': 'Webhooks',
  'nav.own_accounts': 'Own accounts',
  'nav.try': 'Try it',
  'nav.verify': 'Verify',
  'nav.admin': 'Administration',

  'theme.dark': 'Dark theme',
  'theme.light': 'Light theme',

  'role.MEMBER': 'Member',
  'role.ADMIN': 'Administrator',
  'person.plan': '{plan} plan',
  'person.sign_out': 'Sign out',

  'sign_in.title': 'Payment proofs for your programs',
  'sign_in.intro': 'Manage your API keys, see your usage and try the service.',
  'sign_in.action': 'Sign in',
  'sign_in.ended': 'Your session has ended',
  'sign_in.ended_more': 'Sign in again and you will be back where you were.',
  'sign_in.privacy': 'The session is kept in a cookie that only this service uses.',

  'forbidden.title': 'Administration',
  'forbidden.what': 'This part is for administrators only',
  'forbidden.more': 'If you need it, ask whoever runs the service for that role, and sign in again.',
  'forbidden.back': 'Go to the overview',
  'nowhere.title': 'Nothing here',
  'nowhere.what': "This page doesn't exist",

  'copy.copied': 'Copied',
  'copy.done': 'Copied to the clipboard.',
  'copy.request_id': 'Copy the request id',
  'copy.failed': "The browser didn't allow copying; select it and copy it by hand.",
};
