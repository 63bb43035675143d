//! Seals of proofs: checked with the keys that count, recorded for the recovery of unknown ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "seals/administration.rs"]
mod administration;
#[path = "seals/recording.rs"]
mod recording;
#[path = "seals/support.rs"]
mod support;
#[path = "seals/verdicts.rs"]
mod verdicts;
