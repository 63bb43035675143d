//! The sandbox's identity provider through real sockets, as a client meets it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod authorization;
mod exchange;
mod keys;
mod sessions;
mod support;
