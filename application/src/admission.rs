//! Admission of API requests: keys and limits.

mod admitted;
mod credentials;
mod gatekeeper;
mod identified;
mod key_check;
mod lookup_throttle;
mod request;
mod unattended;
mod verdicts;

pub use admitted::{Admission, ChargedRequest, Identified, Settlement};
pub use credentials::CredentialCache;
pub use gatekeeper::GatekeeperService;
pub use request::{AdmissionError, AdmissionRequest, NamedKey, NotDurable, RequestKey};
pub(crate) use unattended::{NotCharged, UnattendedCharge};
