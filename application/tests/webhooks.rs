//! Webhooks: attempts of deliveries, their results, and the encryption anew of secrets.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "webhooks/attempts.rs"]
mod attempts;
#[path = "webhooks/harness.rs"]
mod harness;
#[path = "webhooks/reencryption.rs"]
mod reencryption;
#[path = "webhooks/secrets.rs"]
mod secrets;
