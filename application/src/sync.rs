//! Synchronisation of tasks: circuit breaker, rate limits, concurrency limits, signals, and workers of queues.

mod breaker;
pub(crate) mod buckets;
pub(crate) mod circuit;
pub(crate) mod counted_places;
pub(crate) mod places;
pub(crate) mod rounds;
mod spawn;
pub(crate) mod turns;
mod work_signal;
pub(crate) mod worker;

pub use spawn::SpawnTask;
pub use work_signal::WorkSignal;
