//! Outbound adapters that keep their state in the process: the rate limiter and the pacer of a
//! gateway that runs on one machine, and the identity provider's keys of a single process.

mod limiter;
mod pacer;
mod provider_keys;

pub use limiter::InProcessLimiter;
pub use pacer::InProcessPacer;
pub use provider_keys::MemoryProviderKeys;
