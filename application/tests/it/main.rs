//! Use cases against fakes of their ports, in one test binary.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batches;
mod change_feed;
mod fallback_limiter;
mod gatekeeper;
mod health;
mod insights;
mod keys;
mod lookup_throttle;
mod lookups;
mod pacing;
mod participants;
mod proofs;
mod receipts;
mod requests;
mod retirement;
mod seals;
mod sessions;
mod settlement;
mod support;
mod webhooks;
