//! Batches: their creation, the lookups of their rows, their ends, and imports into them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

#[path = "batches/cancellation.rs"]
mod cancellation;
#[path = "batches/changes.rs"]
mod changes;
#[path = "batches/charges.rs"]
mod charges;
#[path = "batches/creation.rs"]
mod creation;
#[path = "batches/events.rs"]
mod events;
#[path = "batches/idempotency.rs"]
mod idempotency;
#[path = "batches/imports.rs"]
mod imports;
#[path = "batches/keys.rs"]
mod keys;
#[path = "batches/leases.rs"]
mod leases;
#[path = "batches/limits.rs"]
mod limits;
#[path = "batches/owners.rs"]
mod owners;
#[path = "batches/reads.rs"]
mod reads;
#[path = "batches/rows.rs"]
mod rows;
#[path = "batches/seals.rs"]
mod seals;
#[path = "batches/secrets.rs"]
mod secrets;
#[path = "batches/steps.rs"]
mod steps;
#[path = "batches/waits.rs"]
mod waits;
#[path = "batches/window.rs"]
mod window;
