//! Synchronisation of tasks.

pub(crate) mod breaker;
pub(crate) mod keyed_mutex;
