//! Fakes keep the contracts of their ports.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod identity;
mod stores;
