//! The routes as a browser sees them, and the page's own files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod harness;
mod headers;
mod page;
mod sign_in;
mod sign_out;
mod translations;
