//! The bank: pacing of queries during an outage of the shared pacer, and health.

mod health;
mod pacing;

pub use health::BankMonitor;
pub use pacing::FallbackPacer;
