//! The rules of electronic payment proofs (CEP): pure, synchronous, without a clock or randomness
//! of their own.
//!
//! A caller's fields become a [`query::ProofQuery`]; [`inference`] completes it to a
//! [`transfer::Transfer`]; the bank's answer becomes a [`proof::Proof`] that must be the one asked
//! for (its [`seal`] is checked by the receiver's key), or a [`payment::Payment`] and [`hints`] for
//! the missing proof; [`check`] verifies a proof that somebody sent. [`key`] and [`limits`] govern
//! admission; [`webhook`] tells customers' servers; [`customer`], [`usage`], [`request`] and [`audit`] hold the dashboard's data.
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
