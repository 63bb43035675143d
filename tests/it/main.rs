//! The whole system, through real sockets: the real binary in a folder of its own, its real SQLite
//! file, its real sandbox bank.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod architecture;
mod bad_input;
mod canary;
mod configuration;
mod crash;
mod gateway;
mod keys;
mod limits;
mod proofs;
mod seal;
mod transport;
