//! The sandbox portal, tested over HTTP.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod connections;
mod late_proofs;
mod pages;
mod proofs;
mod sessions;
mod support;
