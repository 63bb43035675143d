//! Inference of issuer and receiver from a transfer's account and tracking key.
//!
//! The account identifies the receiver. The issuer can only be inferred from the shape of the tracking
//! key, which is a strong hint but no proof: the portal compares all fields, so a wrong issuer yields
//! "not found" and never a wrong proof.

use chrono::NaiveDate;

use crate::account::Account;
use crate::participants::{Catalogue, Participant, ParticipantCode};
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
    /// Code of the institution.
    pub code: ParticipantCode,
    /// The datum it was inferred from.
    pub evidence: Evidence,
}

/// Evidence of an inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The first three digits of the CLABE.
    ClabePrefix {
        /// The prefix.
        prefix: String,
        /// Medium if it is unknown since when the institution has taken part in SPEI, else high.
        confidence: Confidence,
    },
    /// The leading digits of the card: the prefix that the card-prefix list has for the issuer.
    CardPrefix(String),
    /// The shape of the tracking key.
    TrackingKeyShape {
        /// The bank's name for display.
        bank: &'static str,
        /// High if only this bank is known to use the shape.
        confidence: Confidence,
    },
}

impl Evidence {
    /// Name in the API of the datum that an institution was inferred from.
    pub fn source(&self) -> &'static str {
        match self {
            Self::ClabePrefix { .. } => "clabe_prefix",
            Self::CardPrefix(_) => "card_prefix",
            Self::TrackingKeyShape { .. } => "tracking_key_shape",
        }
    }

    /// Confidence in the inference. Medium for cards, because the prefix lists are partly ten years
    /// old.
    pub fn confidence(&self) -> Confidence {
        match self {
            Self::CardPrefix(_) => Confidence::Medium,
            Self::ClabePrefix { confidence, .. } | Self::TrackingKeyShape { confidence, .. } => {
                *confidence
            }
        }
    }

    /// Kind of evidence for logs, without any digit of the account or the key.
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
    /// Observed for this bank, but possibly used by others too.
    Medium,
    /// Observed for this bank only.
    High,
}

impl Confidence {
    /// High if the participant is known to take part on `date`, else medium.
    fn in_validity(participant: &Participant, date: NaiveDate) -> Self {
        if participant.is_certain_on(date) {
            Self::High
        } else {
            Self::Medium
        }
    }

    /// The name in API responses.
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
        /// Date of the newest known list of participants.
        list_date: NaiveDate,
    },
    /// The card's prefix is in no list, or its issuer doesn't take part in SPEI.
    #[error("the issuer of this card is not known")]
    UnknownCardPrefix,
    /// The account is a phone number, which doesn't identify an institution.
    #[error("a phone number names no institution")]
    PhoneAccount,
    /// No known bank uses tracking keys of this shape.
    #[error("no bank is known to make tracking keys of this shape")]
    UnknownTrackingKeyShape,
    /// The transfer is given by its reference number, which doesn't identify an institution.
    #[error("a reference number names no institution")]
    ReferenceNumber,
    /// The tracking key is a short number or a date, so it is probably a payment reference.
    #[error("the tracking key looks like a reference")]
    LooksLikeReference,
    /// The tracking key matches no known shape, but would with capital letters, or with digits in place
    /// of letters that look like them.
    #[error("the tracking key is probably misspelt")]
    LikelyTrackingKey {
        /// The corrected key.
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

/// The corrected form of a key of unknown shape: with capital letters, and with digits in place of the
/// letters that look like them. `None` if no correction yields a known shape.
pub(crate) fn likely_key(
    key: &TrackingKey,
    date: NaiveDate,
    catalogue: &Catalogue,
) -> Option<TrackingKey> {
    tracking_key_slips::likely(key, date, catalogue)
}

/// Returns `true` if a known bank uses tracking keys of this shape.
pub(crate) fn has_known_shape(key: &TrackingKey) -> bool {
    tracking_key_shapes::is_known(key)
}

/// The date at the position that the shape of a tracking key defines; `None` for a shape without one.
pub(crate) fn date_of_shape(key: &TrackingKey, near: NaiveDate) -> Option<NaiveDate> {
    tracking_key_shapes::dates_in(key, near).next()
}

/// Dates inside a tracking key: first those at the positions that its shape defines, then any other
/// digits that read as a date. If the key lacks the year, the date nearest to `near`.
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
    /// The inferred institutions, also when the query couldn't be completed.
    pub inferred: InferredBanks,
    /// The completed transfer, or the reason why there is none.
    pub transfer: Result<Transfer, Unresolved>,
}

/// Error of resolving a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unresolved {
    /// At least one side could not be inferred.
    #[error("the issuer or the receiver could not be inferred")]
    InferenceFailed {
        /// Reason why the issuer is unknown; `None` if it is known.
        issuer: Option<InferenceFailure>,
        /// Reason why the receiver is unknown; `None` if it is known.
        receiver: Option<InferenceFailure>,
    },
    /// Issuer and receiver are the same institution.
    #[error(transparent)]
    SameInstitution(#[from] SameInstitution),
}

/// Completes a query to a transfer. An institution given by the caller is not inferred.
pub fn resolve(query: ProofQuery, catalogue: &Catalogue) -> Resolution {
    let issuer = Side::of(query.issuer, || {
        let key = query.criterion.tracking_key();
        let key = key.ok_or(InferenceFailure::ReferenceNumber)?;
        infer_issuer(key, query.date, catalogue)
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

/// A query without those of several accounts to which no transfer can have been made: one of the issuer's own
/// institution, or of an unknown one. If that is all of them, they are kept.
pub fn resolvable(query: ProofQuery, catalogue: &Catalogue) -> ProofQuery {
    if query.others.is_empty() {
        return query;
    }
    let mut destinations = query.destinations();
    destinations.retain(|destination| {
        let of_one = query.with_destinations(destination.clone(), Vec::new());
        resolve(of_one, catalogue).transfer.is_ok()
    });
    let mut destinations = destinations.into_iter();
    match destinations.next() {
        Some(first) => query.with_destinations(first, destinations.collect()),
        None => query,
    }
}

/// Builds the transfer; fails if an institution is unknown or both are the same.
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
        query.criterion,
        query.account,
        query.amount,
        issuer,
        receiver,
    )?)
}

/// The issuer or the receiver of a query.
enum Side {
    /// Given by the caller.
    Named(ParticipantCode),
    /// Not given by the caller.
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
