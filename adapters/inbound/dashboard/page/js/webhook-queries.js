// GraphQL operations on webhooks and their deliveries.

import { ERRORS, PAGE } from './queries.js';

const WEBHOOK_FIELDS = `
  id env url events enabled disabledReason disabledAt failingSince previousSecretUntil createdAt updatedAt`;

const DELIVERY_FIELDS = `
  id event subjectId state createdAt nextAttemptAt finalAttemptAt attemptCount attemptsLeft
  lastAttempt { at durationMs status failure answer }`;

export const WEBHOOKS = `query Webhooks { webhooks { ${WEBHOOK_FIELDS} } }`;

export const WEBHOOK = `query Webhook($id: ID!) { webhook(id: $id) { ${WEBHOOK_FIELDS} } }`;

export const DELIVERIES = `query Deliveries($id: ID!, $first: Int!, $after: String) {
  webhookDeliveries(id: $id, first: $first, after: $after) {
    nodes { ${DELIVERY_FIELDS} } ${PAGE}
  }
}`;

export const CREATE_WEBHOOK = `mutation CreateWebhook($input: CreateWebhookInput!) {
  result: createWebhook(input: $input) { webhook { ${WEBHOOK_FIELDS} } secret ${ERRORS} }
}`;
export const UPDATE_WEBHOOK = `mutation UpdateWebhook($input: UpdateWebhookInput!) {
  result: updateWebhook(input: $input) { webhook { id enabled } ${ERRORS} }
}`;
export const REMOVE_WEBHOOK = `mutation RemoveWebhook($input: RemoveWebhookInput!) {
  result: removeWebhook(input: $input) { removedId ${ERRORS} }
}`;
export const ROTATE_WEBHOOK_SECRET = `mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
  result: rotateWebhookSecret(input: $input) { webhook { ${WEBHOOK_FIELDS} } secret ${ERRORS} }
}`;
export const TEST_WEBHOOK = `mutation TestWebhook($input: TestWebhookInput!) {
  result: testWebhook(input: $input) { delivery { id } ${ERRORS} }
}`;
export const RESEND_DELIVERY = `mutation ResendWebhookDelivery($input: ResendWebhookDeliveryInput!) {
  result: resendWebhookDelivery(input: $input) { delivery { id } ${ERRORS} }
}`;
