//! The in-process limiter and pacer.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod limiter;
mod pacer;
