//! The sandbox's identity provider, tested over HTTP.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod authorization;
mod exchange;
mod keys;
mod sessions;
mod support;
