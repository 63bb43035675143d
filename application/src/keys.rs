//! Keys: administration, retirement, and the secrets that hash them.

mod log;
mod retirement;
mod secrets;
mod service;

pub use retirement::Retirement;
pub use secrets::{SecretsError, recognise_secrets};
pub use service::{KeyService, MOST_ACTIVE_KEYS};
