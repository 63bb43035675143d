//! Webhooks: attempts of deliveries, their results, and the encryption anew of secrets.

mod attempts;
pub(crate) mod harness;
mod reencryption;
mod secrets;
