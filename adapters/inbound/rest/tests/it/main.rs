//! Tests of the REST API over real sockets, on the real application over in-memory adapters.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod bank;
mod batches;
mod data;
mod errors;
mod fields;
mod file_checks;
mod gateway;
mod harness;
mod idempotency;
mod identity;
mod logs;
mod lookups;
mod metrics_sink;
mod operations;
mod participants;
mod people;
mod proofs;
mod read_buffer;
mod receipts;
mod sockets;
