//! API keys: administration, end of grace periods, and checks of the secrets that hash them.

mod limits;
mod log;
mod readings;
mod retirement;
mod secrets;
mod service;
mod types;

pub use limits::{NewLimits, NewLimitsError};
pub use retirement::Retirement;
pub use secrets::{SecretsError, recognise_secrets};
pub use service::KeyService;
pub use types::{CreatedKey, KeyError, NewKey, RequestedScope, RotatedKey};
