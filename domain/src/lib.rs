//! The rules for electronic payment proofs (CEP), as pure synchronous code without its own clock or
//! randomness.
//!
//! A request's fields are parsed to a [`query::ProofQuery`], which [`participants::inference`] completes to a
//! [`transfer::Transfer`]. The bank's answer is a [`proofs::Proof`], which must match the transfer and
//! whose [seal](seals) is verified with the receiver's key; or a [`payment::Payment`] without a proof, for
//! which [`hints`] lists likely mistakes. [`proofs::check`] verifies an uploaded proof. [`keys`] and [`limits`]
//! define admission, [webhook](webhooks) messages to customers' servers, and [`people::customer`], [`usage`],
//! [`request`] and [`audit`] the dashboard's data.
#![warn(missing_docs)]

pub mod account;
pub mod amount;
pub mod audit;
pub mod batches;
pub mod calendar;
pub mod criterion;
pub mod erasure;
#[cfg(test)]
mod fixture;
pub mod folding;
pub mod hex;
pub mod hints;
pub mod idempotency;
pub mod keys;
pub mod latency;
pub mod limits;
mod lookalikes;
pub mod lookups;
pub mod loopback;
pub mod masked_account;
pub mod misspelling;
pub mod month;
pub mod name_match;
pub mod outcome;
pub mod own_accounts;
pub mod pacing;
pub mod page;
pub mod participants;
pub mod payment;
pub mod people;
pub mod proofs;
pub mod query;
pub mod receipts;
pub mod request;
pub mod seals;
mod shown;
pub mod tracking_key;
pub mod transfer;
pub mod usage;
mod variants;
pub mod webhooks;
