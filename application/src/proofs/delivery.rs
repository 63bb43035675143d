//! Results of the lookup of a proof.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::file::FileStem;
use domain::hints::Hint;
use domain::inference::{InferenceFailure, InferredBanks};
use domain::notice::ProofOrigin;
use domain::outcome::Outcome;
use domain::pacing::ThrottleReason;
use domain::participant::ParticipantCode;
use domain::payment::Payment;
use domain::proof::Proof;
use domain::seal::CheckedSeal;
use domain::seen::EarlierDeliveries;
use domain::transfer::{Banks, SameInstitution};

use ports::Cause;

/// Facts of a lookup, for statistics and the log. The default is that of a lookup that never began.
#[derive(Clone, Debug, Default)]
pub struct LookupDetails {
    /// The institutions, once they were known.
    pub banks: Option<Banks>,
    /// The inferred fields, whatever came of the lookup.
    pub inferred: InferredBanks,
    /// Time that this caller waited for the bank: for a slot of the budget, though it may have been
    /// refused, and for the answer, though it may be that of another caller's query. `None` when
    /// nothing was needed of the bank: the proof was cached, or there was no transfer to ask for.
    pub bank_time: Option<Duration>,
}

/// A proof that was found.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The requested files, the bank's bytes untouched.
    pub files: Files,
    /// The name of the files, without extension.
    pub stem: FileStem,
    /// The content of the XML.
    pub proof: Arc<Proof>,
    /// The issuer that was asked for; a proof has its name only.
    pub issuer: ParticipantCode,
    /// Its way to the customer.
    pub origin: ProofOrigin,
    /// Result of checking its seal.
    pub seal: CheckedSeal,
    /// Earlier deliveries to the same customer, at the endpoints that answer the proof's fields.
    /// `None` at others, and when they can't be read.
    pub seen: Option<EarlierDeliveries>,
}

/// The files of a delivery.
#[derive(Clone, Debug)]
pub enum Files {
    /// The XML.
    Xml(Bytes),
    /// The PDF.
    Pdf(Bytes),
    /// Both, of one portal session.
    Both {
        /// The XML.
        xml: Bytes,
        /// The PDF.
        pdf: Bytes,
    },
}

impl Files {
    /// Extensions of the files that can be handed out: those of each format, and that of a ZIP of both.
    pub const fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Xml(_) => &["xml"],
            Self::Pdf(_) => &["pdf"],
            Self::Both { .. } => &["xml", "pdf", "zip"],
        }
    }
}

/// Reason why there is no proof.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FetchError {
    /// A side that the caller left out could not be inferred; the bank wasn't asked.
    #[error("the issuer or the receiver could not be inferred")]
    InferenceFailed {
        /// Reason why the issuer isn't known, if it isn't.
        issuer: Option<InferenceFailure>,
        /// Reason why the receiver isn't known, if it isn't.
        receiver: Option<InferenceFailure>,
    },
    /// Issuer and receiver are the same institution; the bank wasn't asked.
    #[error(transparent)]
    SameInstitution(SameInstitution),
    /// The bank has no such proof.
    #[error("no proof matches the request")]
    NotFound {
        /// The bank's record of the payment, if it has one.
        payment: Option<Payment>,
        /// Likely mistakes, the most likely first.
        hints: Vec<Hint>,
    },
    /// The bank's answer can't be understood, or answers another query.
    #[error("the bank's answer could not be understood")]
    BankProtocol {
        /// For the log.
        cause: Cause,
    },
    /// The bank can't be reached, or says that it is closed.
    #[error("the bank could not be reached")]
    BankUnavailable {
        /// Time after which to try again.
        retry_after: Duration,
        /// For the log.
        cause: Cause,
    },
    /// The bank asks for fewer queries, or our budget of them is used up within the deadline.
    #[error("the bank may not be asked again yet")]
    BankThrottled {
        /// Time after which to try again.
        retry_after: Duration,
        /// For the log.
        reason: ThrottleReason,
    },
    /// The bank didn't answer in time.
    #[error("the bank did not answer in time")]
    BankTimeout,
}

impl FetchError {
    /// The outcome that a request counts as which ends with this error.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::InferenceFailed { .. } => Outcome::InferenceFailed,
            Self::SameInstitution(_) => Outcome::InvalidRequest,
            Self::NotFound { payment, .. } => {
                payment.map_or(Outcome::NotFound, |payment| payment.state.outcome())
            }
            Self::BankProtocol { .. } => Outcome::BankProtocolError,
            Self::BankUnavailable { .. } => Outcome::BankUnavailable,
            Self::BankThrottled { .. } => Outcome::BankThrottled,
            Self::BankTimeout => Outcome::BankTimeout,
        }
    }
}
