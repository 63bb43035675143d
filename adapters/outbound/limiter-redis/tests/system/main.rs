//! The limiter on real servers, which the tests start and stop.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod agreement;
mod batching;
mod cluster;
mod connections;
mod contract;
mod exactness;
mod failures;
mod pacing;
mod replicas;
mod support;
