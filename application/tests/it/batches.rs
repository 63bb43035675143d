//! Batches: their creation, the lookups of their rows, their ends, and imports into them.

mod cancellation;
mod changes;
mod charges;
mod creation;
mod events;
mod idempotency;
mod imports;
mod keys;
mod leases;
mod limits;
mod owners;
mod reads;
mod rows;
mod seals;
mod secrets;
mod steps;
mod waits;
mod window;
