//! Tests of the adapter over real sockets: against the sandbox's provider, a scripted one, hostile
//! responses, and a certified provider.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod browser;
mod certified;
mod clock;
mod conditions;
mod hostile;
mod key_selection;
mod rotation;
mod sandbox_provider;
mod sign_in;
mod sign_out;
mod staleness;
mod test_provider;
mod token_builder;
mod tokens;
