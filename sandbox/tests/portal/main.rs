//! The sandbox portal through real sockets, as a client meets it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod connections;
mod pages;
mod proofs;
mod sessions;
mod support;
