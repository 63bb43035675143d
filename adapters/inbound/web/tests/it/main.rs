//! The guard and what surrounds it, as a router meets them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cors;
mod guarded;
mod harness;
mod observed;
