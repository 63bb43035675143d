// GraphQL operations on keys, requests and lookups, and those of administration.

const KEY = `
  id name prefix env state createdAt lastUsedAt retiresAt revokedAt accountId
  owner { issuer subject }
  perMinute monthlyQuota
  month { month used charged refunded remaining resetAt }`;

const REQUEST = `
  id requestId keyId at endpoint outcome durationMs bankMs
  issuer { code name } receiver { code name } seal`;

const USAGE = `
  granularity slots
  series { keyId endpoint outcome others counts total }
  totals { requests delivered refused failed successRate latency { p50Ms p95Ms p99Ms } }`;

export const PAGE = 'pageInfo { hasNextPage endCursor }';
export const ERRORS = 'userErrors { code field message }';

export const VIEWER = `query Viewer {
  viewer { displayName role sessionExpiresAt owner { issuer subject } account { id plan } }
}`;

// The newest keys with their months, for the warnings.
export const KEYS_IN_BRIEF = `query KeysInBrief {
  keys(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
    totalCount
    nodes { id name state monthlyQuota month { month used resetAt } }
  }
}`;

export const BANK = `query Bank {
  live: bank(env: LIVE) { ...Health }
  test: bank(env: TEST) { ...Health }
}
fragment Health on BankHealth {
  env state lookups successRate
  latency { p50Ms p95Ms p99Ms } budget { perMinute remaining pausedForSeconds waiting { interactive background } }
}`;

const KEYS_ARGUMENTS = 'first: 20, after: $after, filter: $filter, orderBy: $orderBy';
const REQUESTS_ARGUMENTS = 'after: $after, filter: $filter';
const USAGE_ARGUMENTS = 'range: $range, breakdown: $breakdown, keyId: $keyId';

// `key0`, `key1`…: so many keys by their ids, in one request.
const numbers = (length) => Array.from({ length }, (_, i) => i);
const declared = (length) => numbers(length).map((i) => `$id${i}: ID!`).join(', ');
const aliased = (length, fields) => numbers(length).map((i) => `key${i}: key(id: $id${i}) { ${fields} }`).join(' ');

const BRIEFS_ARGUMENTS = 'first: 100, filter: $filter';

export const OWN = {
  names: (length) => `query KeyNames(${declared(length)}) { ${aliased(length, 'id name prefix')} }`,
  briefs: `query KeyBriefs($filter: KeyFilter) {
    keys(${BRIEFS_ARGUMENTS}) { totalCount nodes { id name prefix } }
  }`,
  search: 'keys.search',
  keys: `query Keys($after: String, $filter: KeyFilter, $orderBy: KeyOrder) {
    keys(${KEYS_ARGUMENTS}) { totalCount nodes { ${KEY} } ${PAGE} }
  }`,
  key: `query Key($id: ID!) { key(id: $id) { ${KEY} window { limit remaining resetSeconds } } }`,
  usage: `query Usage($range: UsageRange!, $breakdown: Breakdown!, $keyId: ID) {
    usage(${USAGE_ARGUMENTS}) { ${USAGE} }
  }`,
  requests: `query Requests($first: Int!, $after: String, $filter: RequestFilter) {
    requests(first: $first, ${REQUESTS_ARGUMENTS}) { nodes { ${REQUEST} } ${PAGE} }
  }`,
  of: (data) => data,
};

export const ALL = {
  names: (length) => `query AllKeyNames(${declared(length)}) {
    admin { ${aliased(length, 'id name prefix owner { subject }')} }
  }`,
  briefs: `query AllKeyBriefs($filter: KeyFilter) {
    admin { keys(${BRIEFS_ARGUMENTS}) { totalCount nodes { id name prefix owner { subject } } } }
  }`,
  search: 'keys.search_all',
  keys: `query AllKeys($after: String, $filter: KeyFilter, $orderBy: KeyOrder, $accountId: ID) {
    admin { keys(${KEYS_ARGUMENTS}, accountId: $accountId) { totalCount nodes { ${KEY} } ${PAGE} } }
  }`,
  key: `query AnyKey($id: ID!) {
    admin { key(id: $id) { ${KEY} window { limit remaining resetSeconds } } }
  }`,
  usage: `query AllUsage($range: UsageRange!, $breakdown: Breakdown!, $keyId: ID, $accountId: ID) {
    admin { usage(${USAGE_ARGUMENTS}, accountId: $accountId) { ${USAGE} } }
  }`,
  requests: `query AllRequests($first: Int!, $after: String, $filter: RequestFilter, $accountId: ID) {
    admin { requests(first: $first, ${REQUESTS_ARGUMENTS}, accountId: $accountId) { nodes { ${REQUEST} } ${PAGE} } }
  }`,
  of: (data) => data.admin,
};

export const ACCOUNTS = `query Accounts($after: String, $text: String) {
  admin {
    accounts(first: 20, after: $after, text: $text) {
      totalCount
      nodes { id plan createdAt activeKeys month { used } owner { issuer subject } }
      ${PAGE}
    }
  }
}`;

export const AUDIT = `query Audit($after: String, $filter: AuditFilter) {
  admin {
    audit(first: 20, after: $after, filter: $filter) {
      nodes {
        id at action accountId keyId requestId
        actor { issuer subject } changes { field before after }
      }
      ${PAGE}
    }
  }
}`;

const LOOKUP_FIELDS = `
  id keyId env state reason seal origin createdAt updatedAt retryUntil eraseAt attemptCount nextAttemptAt
  metadata { name value }`;

const INFERRED_BANK = '{ participant { code name } source confidence }';
const HINTS = 'hints { code message }';
// What is known of a lookup besides its state, for its own view.
const KNOWN = `
  question { fecha claveRastreo numeroReferencia cuenta otrasCuentas monto emisor receptor } inferred { emisor ${INFERRED_BANK} receptor ${INFERRED_BANK} }
  payment { text receivedAt processedAt } ${HINTS} whatToDo
  candidates { claveRastreo fecha hora ordenante concepto monto seal }`;

export const LOOKUPS = `query Lookups($first: Int!, $after: String, $filter: LookupFilter) {
  lookups(first: $first, after: $after, filter: $filter) { nodes { ${LOOKUP_FIELDS} question { monto } } ${PAGE} }
}`;

const PARTY = '{ nombre: name rfc_curp: taxId tipo_cuenta: accountType cuenta: account }';
const INSTITUTION = '{ codigo: code nombre: name }';

// The proof has the names that the REST API gives it, as the views of proofs know them.
const lookup = (variables, comparison = '') => `query Lookup(${variables}) {
  lookup(id: $id) {
    ${LOOKUP_FIELDS} ${KNOWN}
    attempts { at outcome }
    delivery {
      ${comparison}
      proof {
        clave_rastreo: trackingKey fecha_operacion: operationDate fecha_abono: creditDate hora_abono: creditTime
        monto: amount iva: vat concepto: concept tipo_pago: paymentType
        emisor: issuer ${INSTITUTION} receptor: receiver ${INSTITUTION}
        ordenante: payer ${PARTY} beneficiario: beneficiary ${PARTY}
      }
      seal { verdict reason certificado: certificate algoritmo: algorithm huella: digest }
      sealedFields
      notices { codigo: code campos: fields mensaje: message }
      earlier { veces: times primera_vez: firstAt }
      files { extension path }
    }
  }
}`;

export const LOOKUP = lookup('$id: ID!');
// The same with what was read on a receipt beside the proof.
export const COMPARED_LOOKUP = lookup(
  '$id: ID!, $receipt: [ReceiptValueInput!]!',
  'comparison(receipt: $receipt) { field read proved same decides }',
);

export const LOOKUP_CHANGED = `subscription LookupChanged($id: ID!) {
  lookupChanged(id: $id) { state attemptCount }
}`;

export const PARTICIPANTS = 'query Participants { participants { code name active } }';

export const CREATE_KEY = `mutation CreateKey($input: CreateKeyInput!) {
  result: createKey(input: $input) { key { ${KEY} } apiKey ${ERRORS} }
}`;
export const RENAME_KEY = `mutation RenameKey($input: RenameKeyInput!) {
  result: renameKey(input: $input) { key { id name } ${ERRORS} }
}`;
export const REVOKE_KEY = `mutation RevokeKey($input: RevokeKeyInput!) {
  result: revokeKey(input: $input) { key { id state revokedAt } ${ERRORS} }
}`;
export const ROTATE_KEY = `mutation RotateKey($input: RotateKeyInput!) {
  result: rotateKey(input: $input) { oldKey { id state retiresAt } key: newKey { ${KEY} } apiKey ${ERRORS} }
}`;
export const CANCEL_LOOKUP = `mutation CancelLookup($input: CancelLookupInput!) {
  result: cancelLookup(input: $input) { lookup { id state } ${ERRORS} }
}`;
export const ERASE_LOOKUP = `mutation EraseLookup($input: EraseLookupInput!) {
  result: eraseLookup(input: $input) { erasedId ${ERRORS} }
}`;
export const ADMIN_REVOKE_KEY = `mutation AdminRevokeKey($input: RevokeKeyInput!) {
  result: adminRevokeKey(input: $input) { key { id state revokedAt } ${ERRORS} }
}`;
export const SET_LIMITS = `mutation SetLimits($input: SetLimitsInput!) {
  result: adminSetLimits(input: $input) { key { id perMinute monthlyQuota } ${ERRORS} }
}`;
export const SET_PLAN = `mutation SetPlan($input: SetPlanInput!) {
  result: adminSetPlan(input: $input) { account { id plan } ${ERRORS} }
}`;
