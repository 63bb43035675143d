//! Inference of issuer and receiver from a transfer's account and tracking key.
//!
//! The account names the receiver; nothing in it names the issuer, which only the shape of the
//! tracking key gives away. A shape is a strong hint, not a proof: the portal matches all fields,
//! so a wrong issuer finds nothing and never a wrong proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::participant::{Catalogue, ParticipantCode};
use crate::query::ProofQuery;
use crate::tracking_key::TrackingKey;
use crate::transfer::{SameInstitution, Transfer};

mod card_prefixes;
mod tracking_key_dates;
mod tracking_key_shapes;

/// An inferred institution and its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The institution.
    pub code: ParticipantCode,
    /// The evidence.
    pub evidence: Evidence,
}

/// Evidence of an inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The first three digits of the CLABE.
    ClabePrefix(String),
    /// The leading digits of the card, as many as the card-prefix list has for its issuer.
    CardPrefix(String),
    /// The shape of the tracking key.
    TrackingKeyShape {
        /// The bank's name, for people; in words when the key itself names the bank.
        bank: &'static str,
        /// The shape's confidence.
        confidence: Confidence,
    },
}

impl Evidence {
    /// The kind of evidence, for logs: never a digit of the account or the key.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ClabePrefix(_) => "clabe_prefix",
            Self::CardPrefix(_) => "card_prefix",
            Self::TrackingKeyShape { confidence, .. } => match confidence {
                Confidence::High => "tracking_key_shape:high",
                Confidence::Medium => "tracking_key_shape:medium",
            },
        }
    }
}

/// Confidence in a tracking-key shape. Shapes of low confidence are never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Observed, but another bank's keys may have the same shape.
    Medium,
    /// Observed for this bank alone.
    High,
}

/// Reason for a failed inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferenceFailure {
    /// No participant has the CLABE's prefix on that date.
    #[error("no participant has this CLABE prefix on that date")]
    UnknownClabePrefix,
    /// The card's prefix is in no list, or its issuer takes no part in SPEI.
    #[error("the issuer of this card is not known")]
    UnknownCardPrefix,
    /// No bank is known to make tracking keys of this shape.
    #[error("no bank is known to make tracking keys of this shape")]
    UnknownTrackingKeyShape,
}

/// Infers the receiver from the beneficiary's account, in the catalogue valid on `date`.
///
/// # Errors
/// [`InferenceFailure::UnknownClabePrefix`] or [`InferenceFailure::UnknownCardPrefix`].
pub fn infer_receiver(
    account: &Account,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Result<Inferred, InferenceFailure> {
    match account {
        Account::Clabe(clabe) => {
            let prefix = clabe.prefix();
            let participant = catalogue
                .by_clabe_prefix(prefix, date)
                .ok_or(InferenceFailure::UnknownClabePrefix)?;
            let evidence = Evidence::ClabePrefix(prefix.to_owned());
            Ok(Inferred {
                code: participant.code,
                evidence,
            })
        }
        Account::Card(card) => card_prefixes::issuer_of(card, date, catalogue)
            .ok_or(InferenceFailure::UnknownCardPrefix),
    }
}

/// Infers the issuer from the shape of the tracking key, in the catalogue valid on `date`.
///
/// # Errors
/// [`InferenceFailure::UnknownTrackingKeyShape`].
pub fn infer_issuer(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Result<Inferred, InferenceFailure> {
    tracking_key_shapes::issuer_of(key, date, catalogue)
        .ok_or(InferenceFailure::UnknownTrackingKeyShape)
}

/// Dates that seem to stand inside a tracking key: first those that its shape names, then anything
/// else that reads as a date. Where the key lacks the year, the date nearest to `near`.
pub(crate) fn dates_in(key: &TrackingKey, near: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    tracking_key_shapes::dates_in(key, near).chain(tracking_key_dates::scan(key.as_str(), near))
}

/// A query whose institutions are all known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The transfer to ask for.
    pub transfer: Transfer,
    /// Inference of the issuer; `None` when the caller named the issuer.
    pub issuer: Option<Inferred>,
    /// Inference of the receiver; `None` when the caller named the receiver.
    pub receiver: Option<Inferred>,
}

/// Error of resolving a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// At least one side could not be inferred.
    #[error("the issuer or the receiver could not be inferred")]
    InferenceFailed {
        /// Reason for which the issuer is unknown, if it is.
        issuer: Option<InferenceFailure>,
        /// Reason for which the receiver is unknown, if it is.
        receiver: Option<InferenceFailure>,
    },
    /// Both sides are one institution.
    #[error(transparent)]
    SameInstitution(#[from] SameInstitution),
}

/// Completes a query to a transfer. A side named by the caller is not inferred.
///
/// # Errors
/// See [`Unresolved`].
pub fn resolve(query: ProofQuery, catalogue: &Catalogue) -> Result<Resolved, Unresolved> {
    let issuer = named_or_inferred(query.issuer, || {
        infer_issuer(&query.tracking_key, query.date, catalogue)
    });
    let receiver = named_or_inferred(query.receiver, || {
        infer_receiver(&query.account, query.date, catalogue)
    });
    let ((issuer_code, issuer), (receiver_code, receiver)) = match (issuer, receiver) {
        (Ok(issuer), Ok(receiver)) => (issuer, receiver),
        (issuer, receiver) => {
            return Err(Unresolved::InferenceFailed {
                issuer: issuer.err(),
                receiver: receiver.err(),
            });
        }
    };
    let transfer = Transfer::new(
        query.date,
        query.tracking_key,
        query.account,
        query.amount,
        issuer_code,
        receiver_code,
    )?;
    Ok(Resolved {
        transfer,
        issuer,
        receiver,
    })
}

/// Returns one side's code, and its inference unless the caller named it.
fn named_or_inferred(
    named: Option<ParticipantCode>,
    infer: impl FnOnce() -> Result<Inferred, InferenceFailure>,
) -> Result<(ParticipantCode, Option<Inferred>), InferenceFailure> {
    match named {
        Some(code) => Ok((code, None)),
        None => infer().map(|inferred| (inferred.code, Some(inferred))),
    }
}

#[cfg(test)]
mod tests;
