//! Stored lookups: their creation, their attempts, and what callers read of them.

mod answers;
mod attempts;
mod cancellation;
mod changes;
mod creation;
mod failures;
mod leases;
mod notifications;
mod people;
mod places;
mod questions;
mod reads;
mod secrets;
mod steps;
mod waits;
