//! The use cases: they implement the inbound ports with the outbound ones.
//!
//! A proof request passes the [`GatekeeperService`] (key, limits, record) and the
//! [`ProofService`] (inference, memory, the bank, the identity of the proof). The
//! [`KeyService`] manages keys; the [`KeyWatch`] carries what other processes changed to the
//! limiter; the [`HealthService`] says whether we can serve.

mod gatekeeper;
mod guesses;
mod health;
mod key_watch;
mod keys;
mod proofs;

pub use gatekeeper::GatekeeperService;
pub use health::HealthService;
pub use key_watch::KeyWatch;
pub use keys::KeyService;
pub use proofs::{BankBySide, ProofMemory, ProofService};
