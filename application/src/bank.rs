//! The bank: pacing of queries during an outage of the shared pacer, health, and a circuit breaker.

mod breaker;
mod health;
mod pacing;

pub use health::BankMonitor;
pub use pacing::FallbackPacer;
