//! The mutations: input, payload and resolver of each.

pub(super) mod cancel_batch;
pub(super) mod cancel_lookup;
pub(super) mod create_key;
pub(super) mod create_webhook;
pub(super) mod erase_batch;
pub(super) mod erase_lookup;
mod key_payload;
pub(super) mod remove_webhook;
pub(super) mod rename_key;
pub(super) mod resend_webhook_delivery;
pub(super) mod revoke_key;
pub(super) mod rotate_key;
pub(super) mod rotate_webhook_secret;
pub(super) mod set_limits;
pub(super) mod set_plan;
pub(super) mod test_webhook;
pub(super) mod update_webhook;
mod webhook_payloads;

pub(super) use key_payload::KeyPayload;
pub(super) use webhook_payloads::{WebhookDeliveryPayload, WebhookPayload, WebhookSecretPayload};
