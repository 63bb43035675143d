//! Tests of the routes over HTTP, and of the page's sources.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;
mod headers;
mod page;
mod sign_in;
mod sign_out;
mod translations;
