// GraphQL operations on batches.

import { ERRORS, PAGE } from './queries.js';

const BATCH_FIELDS = `
  id keyId environment state reason name formats retryForSeconds createdAt updatedAt eraseAt progress eta
  counts { rows faulty duplicates notBegun queued running waiting delivered deliveredSealInvalid deliveredSealNotChecked notFound failed expired canceled erased }
  files { results zip banxico }`;

export const BATCHES = `query Batches($first: Int!, $after: String, $filter: BatchFilter) {
  batches(first: $first, after: $after, filter: $filter) { nodes { ${BATCH_FIELDS} } ${PAGE} }
}`;

export const BATCH = `query Batch($id: ID!) { batch(id: $id) { ${BATCH_FIELDS} } }`;

export const BATCH_CHANGED = `subscription BatchChanged($id: ID!) { batchChanged(id: $id) { ${BATCH_FIELDS} } }`;

export const BATCH_ROWS = `query BatchRows($id: ID!, $first: Int!, $after: Int!) {
  batchRows(id: $id, first: $first, after: $after) {
    hasNextPage
    rows {
      row line callerId state duplicateOf lookupId reason seal imported notices { codigo: code mensaje: message } earlier { veces: times primera_vez: firstAt }
      question { fecha claveRastreo monto } payment { text } hints { code message } whatToDo
      errors { field message }
    }
  }
}`;

// Keys that a batch may be charged to.
export const BATCH_KEYS = `query BatchKeys($first: Int!, $after: String) {
  keys(first: $first, after: $after, filter: { statuses: [ACTIVE] }, orderBy: { field: NAME, direction: ASC }) {
    nodes { id name prefix environment } ${PAGE}
  }
}`;

export const CANCEL_BATCH = `mutation CancelBatch($input: CancelBatchInput!) {
  result: cancelBatch(input: $input) { batch { id state } ${ERRORS} }
}`;
export const ERASE_BATCH = `mutation EraseBatch($input: EraseBatchInput!) {
  result: eraseBatch(input: $input) { erasedId ${ERRORS} }
}`;
