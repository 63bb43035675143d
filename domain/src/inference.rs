//! Inference of issuer and receiver from a transfer's account and tracking key.
//!
//! The account names the receiver; nothing in it names the issuer, which only the shape of the
//! tracking key gives away. A shape is a strong hint, not a proof: the portal matches all fields,
//! so a wrong issuer finds nothing and never a wrong proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::participant::{Catalogue, Participant, ParticipantCode};
use crate::query::ProofQuery;
use crate::tracking_key::TrackingKey;
use crate::transfer::{SameInstitution, Transfer};

mod card_prefixes;
mod tracking_key_dates;
mod tracking_key_shapes;
mod tracking_key_slips;

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
    ClabePrefix {
        /// The digits.
        prefix: String,
        /// Medium when the holder of the prefix took part from an unknown day on.
        confidence: Confidence,
    },
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
    /// The datum that an institution was inferred from.
    pub fn source(&self) -> &'static str {
        match self {
            Self::ClabePrefix { .. } => "clabe_prefix",
            Self::CardPrefix(_) => "card_prefix",
            Self::TrackingKeyShape { .. } => "tracking_key_shape",
        }
    }

    /// Confidence in the inference. The lists of card prefixes are partly ten years old.
    pub fn confidence(&self) -> Confidence {
        match self {
            Self::CardPrefix(_) => Confidence::Medium,
            Self::ClabePrefix { confidence, .. } | Self::TrackingKeyShape { confidence, .. } => {
                *confidence
            }
        }
    }

    /// The kind of evidence, for logs: never a digit of the account or the key.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ClabePrefix { .. } | Self::CardPrefix(_) => self.source(),
            Self::TrackingKeyShape { confidence, .. } => match confidence {
                Confidence::High => "tracking_key_shape:high",
                Confidence::Medium => "tracking_key_shape:medium",
            },
        }
    }
}

/// Confidence in an inference. Tracking-key shapes of low confidence are never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Observed, but it may name another bank as well.
    Medium,
    /// Observed for this bank alone.
    High,
}

impl Confidence {
    /// Confidence that this participant takes part on `date`.
    fn in_validity(participant: &Participant, date: NaiveDate) -> Self {
        if participant.is_certain_on(date) {
            Self::High
        } else {
            Self::Medium
        }
    }

    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Reason for a failed inference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InferenceFailure {
    /// No participant has the CLABE's prefix on that date.
    #[error("no participant has the CLABE prefix {prefix:03} in the list of {list_date}")]
    UnknownClabePrefix {
        /// The first three digits of the CLABE.
        prefix: u16,
        /// Date of the newest list of participants that is known.
        list_date: NaiveDate,
    },
    /// The card's prefix is in no list, or its issuer takes no part in SPEI.
    #[error("the issuer of this card is not known")]
    UnknownCardPrefix,
    /// The account is a phone number, which names no institution.
    #[error("a phone number names no institution")]
    PhoneAccount,
    /// No bank is known to make tracking keys of this shape.
    #[error("no bank is known to make tracking keys of this shape")]
    UnknownTrackingKeyShape,
    /// The tracking key is a number of few digits, or a date.
    #[error("the tracking key looks like a reference")]
    LooksLikeReference,
    /// The tracking key has the shape of no bank's, but would have with capitals, or with digits in place
    /// of letters.
    #[error("the tracking key is probably misspelt")]
    LikelyTrackingKey {
        /// The key that was probably meant.
        expected: TrackingKey,
    },
}

/// Infers the receiver from the beneficiary's account, in the catalogue valid on `date`.
///
/// # Errors
/// [`InferenceFailure::UnknownClabePrefix`], [`InferenceFailure::UnknownCardPrefix`] or
/// [`InferenceFailure::PhoneAccount`].
pub fn infer_receiver(
    account: &Account,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Result<Inferred, InferenceFailure> {
    match account {
        Account::Clabe(clabe) => {
            let prefix = clabe.prefix();
            let participant = catalogue.by_clabe_prefix(prefix, date).ok_or_else(|| {
                InferenceFailure::UnknownClabePrefix {
                    prefix: prefix.parse().unwrap_or_default(),
                    list_date: catalogue.as_of(),
                }
            })?;
            let evidence = Evidence::ClabePrefix {
                prefix: prefix.to_owned(),
                confidence: Confidence::in_validity(participant, date),
            };
            Ok(Inferred {
                code: participant.code,
                evidence,
            })
        }
        Account::Card(card) => card_prefixes::issuer_of(card, date, catalogue)
            .ok_or(InferenceFailure::UnknownCardPrefix),
        Account::Phone(_) => Err(InferenceFailure::PhoneAccount),
    }
}

/// Infers the issuer from the shape of the tracking key, in the catalogue valid on `date`.
///
/// # Errors
/// [`InferenceFailure::UnknownTrackingKeyShape`], [`InferenceFailure::LooksLikeReference`] or
/// [`InferenceFailure::LikelyTrackingKey`].
pub fn infer_issuer(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Result<Inferred, InferenceFailure> {
    tracking_key_shapes::issuer_of(key, date, catalogue).ok_or_else(|| {
        if key.looks_like_reference() {
            return InferenceFailure::LooksLikeReference;
        }
        likely_key(key, date, catalogue)
            .map_or(InferenceFailure::UnknownTrackingKeyShape, |expected| {
                InferenceFailure::LikelyTrackingKey { expected }
            })
    })
}

/// The key that was probably meant by one whose shape is nobody's: with capital letters, and with digits in
/// place of the letters that look like them.
pub(crate) fn likely_key(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<TrackingKey> {
    tracking_key_slips::likely(key, date, catalogue)
}

/// Returns `true` if a bank's tracking keys have this shape.
pub(crate) fn has_known_shape(key: &TrackingKey) -> bool {
    tracking_key_shapes::is_known(key)
}

/// Dates that seem to stand inside a tracking key: first those that its shape names, then anything
/// else that reads as a date. Where the key lacks the year, the date nearest to `near`.
pub(crate) fn dates_in(key: &TrackingKey, near: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    tracking_key_shapes::dates_in(key, near).chain(tracking_key_dates::scan(key.as_str(), near))
}

/// Institutions of a query that were inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InferredBanks {
    /// The issuer; `None` when the caller named it, or nothing could be inferred.
    pub issuer: Option<Inferred>,
    /// The receiver; `None` when the caller named it, or nothing could be inferred.
    pub receiver: Option<Inferred>,
}

/// Result of resolving a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The inferred fields, also for a query that names no transfer.
    pub inferred: InferredBanks,
    /// The transfer to ask for.
    pub transfer: Result<Transfer, Unresolved>,
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
pub fn resolve(query: ProofQuery, catalogue: &Catalogue) -> Resolution {
    let issuer = Side::of(query.issuer, || {
        infer_issuer(&query.tracking_key, query.date, catalogue)
    });
    let receiver = Side::of(query.receiver, || {
        infer_receiver(&query.account, query.date, catalogue)
    });
    Resolution {
        transfer: transfer(query, &issuer, &receiver, catalogue),
        inferred: InferredBanks {
            issuer: issuer.inferred(),
            receiver: receiver.inferred(),
        },
    }
}

/// Returns the transfer of two different institutions.
fn transfer(
    query: ProofQuery,
    issuer: &Side,
    receiver: &Side,
    catalogue: &Catalogue,
) -> Result<Transfer, Unresolved> {
    let (issuer, receiver) = match (issuer.code(), receiver.code()) {
        (Ok(issuer), Ok(receiver)) => (issuer, receiver),
        (issuer, receiver) => {
            return Err(Unresolved::InferenceFailed {
                issuer: issuer.err(),
                receiver: receiver.err(),
            });
        }
    };
    let institution = catalogue.institution(issuer);
    if institution == catalogue.institution(receiver) {
        return Err(SameInstitution { code: institution }.into());
    }
    Ok(Transfer::new(
        query.date,
        query.tracking_key,
        query.account,
        query.amount,
        issuer,
        receiver,
    )?)
}

/// One side of a query.
enum Side {
    /// The caller named it.
    Named(ParticipantCode),
    /// The caller left it out.
    Inferred(Result<Inferred, InferenceFailure>),
}

impl Side {
    fn of(
        named: Option<ParticipantCode>,
        infer: impl FnOnce() -> Result<Inferred, InferenceFailure>,
    ) -> Self {
        named.map_or_else(|| Self::Inferred(infer()), Self::Named)
    }

    fn code(&self) -> Result<ParticipantCode, InferenceFailure> {
        match self {
            Self::Named(code) => Ok(*code),
            Self::Inferred(inferred) => inferred
                .as_ref()
                .map(|side| side.code)
                .map_err(Clone::clone),
        }
    }

    fn inferred(self) -> Option<Inferred> {
        match self {
            Self::Named(_) => None,
            Self::Inferred(inferred) => inferred.ok(),
        }
    }
}

#[cfg(test)]
mod tests;
