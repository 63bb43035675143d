//! The limiter on real servers, which the tests start and stop.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod agreement;
mod cluster;
mod connections;
mod contract;
mod exactness;
mod losses;
mod pacing;
mod replicas;
mod support;
mod together;
