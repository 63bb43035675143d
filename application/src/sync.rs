//! Synchronisation of tasks: circuit breaker, rate limits, concurrency limits and signals.

mod breaker;
pub(crate) mod buckets;
pub(crate) mod circuit;
pub(crate) mod counted_places;
pub(crate) mod keyed_mutex;
pub(crate) mod places;
pub(crate) mod rounds;
pub(crate) mod turns;
mod work_signal;

pub use work_signal::WorkSignal;
