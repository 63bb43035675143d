//! The adapter against the sandbox's provider, hostile ones, and a certified one, through real
//! sockets.
#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod browser;
mod certified;
mod clock;
mod fleet;
mod hostile;
mod provider;
mod rotation;
mod sandboxed;
mod sharing;
mod sign_in;
mod sign_out;
mod signer;
mod tokens;
