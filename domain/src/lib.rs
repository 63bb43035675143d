//! The rules of electronic payment proofs (CEP): pure, synchronous, without a clock or randomness
//! of their own.
//!
//! A caller's words become a [`query::ProofQuery`]; [`inference`] completes it to a
//! [`transfer::Transfer`]; the bank's answer becomes a [`proof::Proof`] that must be the one asked
//! for, or a [`payment::Payment`] and [`hints`] why there is none. [`key`] and [`limits`] say who
//! may ask, and how often.
#![warn(missing_docs)]

pub mod account;
pub mod amount;
pub mod calendar;
pub mod file;
pub mod hints;
pub mod inference;
pub mod key;
pub mod limits;
pub mod month;
pub mod outcome;
pub mod participant;
pub mod payment;
pub mod proof;
pub mod query;
pub mod request;
pub mod tracking_key;
pub mod transfer;
pub mod window;
