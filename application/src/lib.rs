//! The use cases: they implement the inbound ports with the outbound ones.
//!
//! A proof request passes the [`GatekeeperService`] (key, limits, record) and the
//! [`ProofService`] (inference, memory, the bank, the identity of the proof). People come in by
//! the [`SessionService`], manage keys by the [`KeyService`] and read the [`InsightsService`], to
//! which the [`BankWatch`] tells how the banks do. The [`KeyWatch`] carries what other processes
//! changed to the limiter; the [`FallbackLimiter`] keeps limits while the limiter that replicas
//! share is down, and the [`FallbackPacer`] the bank's budget; the [`Reconciliation`] tells the
//! limiter again what it may have lost; the [`Retirement`] revokes keys whose time of grace is over; the
//! [`HealthService`] says whether we can serve.

mod bank_watch;
mod breaker;
mod credentials;
mod degrading;
mod gatekeeper;
mod health;
mod insights;
mod key_watch;
mod keys;
mod lookup_throttle;
mod pacing;
mod proofs;
mod propagator;
mod reach;
mod reconciliation;
mod retirement;
mod secrets;
mod sessions;

pub use bank_watch::BankWatch;
pub use degrading::{FallbackLimiter, LimiterMode};
pub use gatekeeper::GatekeeperService;
pub use health::HealthService;
pub use insights::{InsightSources, InsightsService};
pub use key_watch::KeyWatch;
pub use keys::{KeyService, MOST_ACTIVE_KEYS};
pub use pacing::FallbackPacer;
pub use proofs::{BankBySide, ProofMemory, ProofRequestService, ProofService, SpawnTask};
pub use reconciliation::Reconciliation;
pub use retirement::Retirement;
pub use secrets::{SecretsError, recognise_secrets};
pub use sessions::{BrowserAddresses, SessionService};
