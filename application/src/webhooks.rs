//! Webhooks of people's accounts, and the deliveries to them.

mod encryption;
mod reencryption;
mod service;
mod types;
mod worker;

pub use encryption::WebhookEncryption;
pub use reencryption::{Reencrypted, WebhookReencryption};
pub use service::{WebhookService, WebhookSources};
pub use types::{
    CreatedWebhook, DeliveryView, NewWebhook, WebhookChange, WebhookError, WebhookSwitch,
    WebhookView,
};
pub use worker::{DeliveryWorker, DeliveryWorkerParts};
