//! Admission of API requests: keys and limits.

mod admitted;
mod credentials;
mod gatekeeper;
mod key_check;
mod lookup_throttle;
mod request;

pub use admitted::{Admission, ChargedRequest, Identified, Settlement};
pub use credentials::CredentialCache;
pub use gatekeeper::GatekeeperService;
pub(crate) use gatekeeper::{NotCharged, UnattendedCharge};
pub use request::{AdmissionError, AdmissionRequest, NotDurable};
