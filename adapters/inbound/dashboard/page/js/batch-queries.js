// GraphQL operations on batches.

import { ERRORS, PAGE } from './queries.js';

const BATCH_FIELDS = `
  id keyId env state reason name formats retryFor createdAt updatedAt eraseAt progress eta
  counts { rows faulty duplicates notBegun queued running waiting delivered deliveredSealInvalid deliveredSealNotChecked ambiguous notFound failed expired canceled erased }
  passedOver { reason rows lines }
  files { results zip banxico }`;

export const BATCHES = `query Batches($first: Int!, $after: String, $filter: BatchFilter) {
  batches(first: $first, after: $after, filter: $filter) { nodes { ${BATCH_FIELDS} } ${PAGE} }
}`;

export const BATCH = `query Batch($id: ID!) { batch(id: $id) { ${BATCH_FIELDS} } }`;

export const BATCH_CHANGED = `subscription BatchChanged($id: ID!) { batchChanged(id: $id) { ${BATCH_FIELDS} } }`;

export const BATCH_ROWS = `query BatchRows($id: ID!, $first: Int!, $after: String, $filter: BatchRowFilter) {
  batchRows(id: $id, first: $first, after: $after, filter: $filter) {
    pageInfo { hasNextPage }
    nodes {
      row line callerId state duplicateOf question { fecha claveRastreo numeroReferencia monto } written { fecha claveRastreo numeroReferencia cuenta monto } errors { field message } whatToDo
      lookup {
        id reason origin payment { text } hints { code message }
        delivery { proof { trackingKey } seal { verdict } notices { codigo: code mensaje: message } earlier { veces: times primera_vez: firstAt } }
      }
    }
  }
}`;

// Keys that a batch may be charged to.
export const BATCH_KEYS = `query BatchKeys($first: Int!, $after: String) {
  keys(first: $first, after: $after, filter: { states: [ACTIVE] }, orderBy: { field: NAME, direction: ASC }) {
    nodes { id name prefix env } ${PAGE}
  }
}`;

export const CANCEL_BATCH = `mutation CancelBatch($input: CancelBatchInput!) {
  result: cancelBatch(input: $input) { batch { id state } ${ERRORS} }
}`;
export const ERASE_BATCH = `mutation EraseBatch($input: EraseBatchInput!) {
  result: eraseBatch(input: $input) { erasedId ${ERRORS} }
}`;
