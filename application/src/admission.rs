//! Admission of proof requests: keys and limits.

mod credentials;
mod gatekeeper;
mod lookup_throttle;

pub use gatekeeper::GatekeeperService;
