//! The sandbox, tested over HTTP.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod identity;
mod portal;
