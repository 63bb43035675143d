//! Seals of proofs: checked with the keys that count, recorded for the recovery of unknown ones.

mod administration;
mod recording;
mod support;
mod verdicts;
