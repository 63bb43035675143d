//! Stored lookups: their creation, their attempts, and what callers read of them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

#[path = "lookups/answers.rs"]
mod answers;
#[path = "lookups/attempts.rs"]
mod attempts;
#[path = "lookups/cancellation.rs"]
mod cancellation;
#[path = "lookups/changes.rs"]
mod changes;
#[path = "lookups/creation.rs"]
mod creation;
#[path = "lookups/failures.rs"]
mod failures;
#[path = "lookups/leases.rs"]
mod leases;
#[path = "lookups/notifications.rs"]
mod notifications;
#[path = "lookups/people.rs"]
mod people;
#[path = "lookups/places.rs"]
mod places;
#[path = "lookups/questions.rs"]
mod questions;
#[path = "lookups/reads.rs"]
mod reads;
#[path = "lookups/secrets.rs"]
mod secrets;
#[path = "lookups/steps.rs"]
mod steps;
#[path = "lookups/waits.rs"]
mod waits;
