// English. One key a line, in the order of `../es/requests.js`.
export default {
  'recent.title': 'Recent requests',
  'recent.all': 'See all',
  'recent.none': 'No requests yet',
  'recent.none_more': 'Every request that no limit refuses shows here, with its outcome, timing and id.',
  'recent.try': 'Make one now',

  'request.at': 'Time',
  'request.outcome': 'Outcome',
  'request.checked': 'Checked',
  'request.endpoint': 'Endpoint',
  'request.key': 'Key',
  'request.duration': 'Duration',
  'request.bank_time': 'bank: {time}',
  'request.banks': 'Issuer → receiver',
  'request.to': 'to',
  'request.id': 'Request id',

  'requests.lead': 'What helps to understand each request is kept; never accounts, names or amounts. Requests that a limit refused are not listed: they are counted under “Usage”.',
  'requests.no_match': 'No request matches these filters',

  'filter.all': 'Any',
  'filter.clear': 'Clear the filters',
  'filter.span': 'Period',
  'filter.key_id': 'Key id',
  'filter.account_id': 'Account id',
  'filter.id_shape': 'An id looks like 0198f3c2-…: 36 characters.',
  'filter.request_id_shape': 'A request id has 1 to 64 letters, digits and . _ : - alone.',
  'span.day': 'Last 24 hours',
  'span.week': 'Last 7 days',
  'span.month': 'Last 30 days',

  'list.shown.one': '{count} shown',
  'list.shown.other': '{count} shown',
  'list.shown_of': '{shown} of {total}',
  'list.more': 'Load more',
};
