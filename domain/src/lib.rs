//! The rules for electronic payment proofs (CEP), as pure synchronous code without its own clock or
//! randomness.
//!
//! A request's fields are parsed to a [`query::ProofQuery`], which [`inference`] completes to a
//! [`transfer::Transfer`]. The bank's answer is a [`proof::Proof`], which must match the transfer and
//! whose [`seal`] is verified with the receiver's key; or a [`payment::Payment`] without a proof, for
//! which [`hints`] lists likely mistakes. [`check`] verifies an uploaded proof. [`key`] and [`limits`]
//! define admission, [`webhook`] messages to customers' servers, and [`customer`], [`usage`],
//! [`request`] and [`audit`] the dashboard's data.
#![warn(missing_docs)]

pub mod account;
pub mod amount;
pub mod archive;
pub mod audit;
pub mod batch;
pub mod calendar;
pub mod check;
pub mod customer;
pub mod erasure;
pub mod file;
#[cfg(test)]
mod fixture;
pub mod hex;
pub mod hints;
pub mod idempotency;
pub mod inference;
pub mod key;
pub mod latency;
pub mod limits;
pub mod lookup;
pub mod loopback;
pub mod misspelling;
pub mod month;
pub mod name_match;
pub mod notice;
pub mod outcome;
pub mod pacing;
pub mod page;
pub mod participant;
pub mod payment;
pub mod proof;
pub mod query;
pub mod rate;
pub mod replicas;
pub mod request;
pub mod seal;
pub mod seen;
mod shown;
pub mod sign_in;
pub mod subscriber;
pub mod tracking_key;
pub mod transfer;
pub mod usage;
mod variants;
pub mod webhook;
pub mod window;
