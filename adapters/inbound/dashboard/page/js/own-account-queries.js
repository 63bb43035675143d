// GraphQL operations on own accounts.

import { ERRORS } from './queries.js';

const FIELDS = 'id name cuenta receptor banco addedAt';

export const OWN_ACCOUNTS = `query OwnAccounts { ownAccounts { ${FIELDS} } }`;

export const ADD_OWN_ACCOUNT = `mutation AddOwnAccount($input: AddOwnAccountInput!) {
  result: addOwnAccount(input: $input) { ownAccount { ${FIELDS} } ${ERRORS} }
}`;
export const REMOVE_OWN_ACCOUNT = `mutation RemoveOwnAccount($input: RemoveOwnAccountInput!) {
  result: removeOwnAccount(input: $input) { removedId ${ERRORS} }
}`;
