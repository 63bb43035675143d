//! Synchronisation of tasks.

pub(crate) mod breaker;
pub(crate) mod buckets;
pub(crate) mod keyed_mutex;
pub(crate) mod rounds;
