//! The REST API over real sockets, with fakes of the inbound ports behind it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod errors;
mod fakes;
mod harness;
mod identity;
mod logs;
mod metrics_sink;
mod operations;
mod people;
mod proofs;
mod sockets;
