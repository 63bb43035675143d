//! Results of the lookup of a proof.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::hints::Hint;
use domain::outcome::Outcome;
use domain::participants::ParticipantCode;
use domain::participants::inference::{InferenceFailure, InferredBanks};
use domain::payment::Payment;
use domain::proofs::Proof;
use domain::proofs::candidate::Candidate;
use domain::proofs::file::FileStem;
use domain::proofs::notice::ProofOrigin;
use domain::proofs::seen::EarlierDeliveries;
use domain::query::FieldError;
use domain::seals::CheckedSeal;
use domain::transfer::{Banks, SameInstitution};
use ports::outbound::BankError;

/// Data of a lookup for the statistics and the log. The default is that of a lookup that wasn't begun.
#[derive(Clone, Debug, Default)]
pub struct LookupDetails {
    /// Participants of the transfer; `None` if they couldn't be resolved.
    pub banks: Option<Banks>,
    /// Participants that were inferred, even if the lookup failed.
    pub inferred: InferredBanks,
    /// Time that the caller waited for the bank: for a turn, even if it was refused, and for the answer, even
    /// if another caller's query was shared. `None` if the bank wasn't needed: the proof was stored, or the
    /// query's participants couldn't be resolved.
    pub bank_time: Option<Duration>,
}

/// A proof that was found.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The requested files, byte for byte those of the bank.
    pub files: Files,
    /// File name without extension.
    pub stem: FileStem,
    /// Parsed content of the XML.
    pub proof: Arc<Proof>,
    /// Code of the issuer in the query; the proof contains only its name.
    pub issuer: ParticipantCode,
    /// Source of the proof: fetched, or imported.
    pub origin: ProofOrigin,
    /// Result of checking the seal.
    pub seal: CheckedSeal,
    /// Earlier deliveries to the same customer, at endpoints that answer with parsed fields; `None` at
    /// others, and if they couldn't be read.
    pub seen: Option<EarlierDeliveries>,
}

/// Files of a delivered proof.
#[derive(Clone, Debug)]
pub enum Files {
    /// Only the XML.
    Xml(Bytes),
    /// Only the PDF.
    Pdf(Bytes),
    /// XML and PDF, downloaded in one portal session.
    Both {
        /// The XML file.
        xml: Bytes,
        /// The PDF file.
        pdf: Bytes,
    },
}

impl Files {
    /// File extensions that can be requested: those of the files, and `zip` if there are both.
    pub const fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Xml(_) => &["xml"],
            Self::Pdf(_) => &["pdf"],
            Self::Both { .. } => &["xml", "pdf", "zip"],
        }
    }
}

/// Reason why a lookup returned no proof.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FetchError {
    /// A participant that the query leaves out could not be inferred; the bank wasn't queried.
    #[error("the issuer or the receiver could not be inferred")]
    InferenceFailed {
        /// Why the issuer couldn't be inferred; `None` if it is known.
        issuer: Option<InferenceFailure>,
        /// Why the receiver couldn't be inferred; `None` if it is known.
        receiver: Option<InferenceFailure>,
    },
    /// Issuer and receiver are the same institution; the bank wasn't queried.
    #[error(transparent)]
    SameInstitution(SameInstitution),
    /// The account is masked or missing, and none of the customer's own ones fits; the bank wasn't queried.
    #[error(transparent)]
    NoOwnAccount(FieldError),
    /// Several transfers have the reference number.
    #[error("several transfers have the reference number")]
    Ambiguous {
        /// The transfers, in the order of their credit.
        candidates: Arc<[Candidate]>,
    },
    /// The bank has no proof of the transfer.
    #[error("no proof matches the request")]
    NotFound {
        /// The bank's record of the payment; `None` if it has none.
        payment: Option<Payment>,
        /// Likely mistakes in the query, the most likely first.
        hints: Vec<Hint>,
    },
    /// The bank gave no answer, or one that can't be understood or doesn't match the query; or the key has
    /// too many concurrent lookups.
    #[error(transparent)]
    Bank(#[from] BankError),
}

impl FetchError {
    /// Returns `true` if the bank knows no such transfer.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::NotFound { payment: None, .. })
    }

    /// Outcome of a request that ends with this error.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::InferenceFailed { .. } => Outcome::InferenceFailed,
            Self::SameInstitution(_) | Self::NoOwnAccount(_) => Outcome::InvalidRequest,
            Self::Ambiguous { .. } => Outcome::Ambiguous,
            Self::NotFound { payment, .. } => {
                payment.map_or(Outcome::NotFound, |payment| payment.state.outcome())
            }
            Self::Bank(BankError::Protocol { .. }) => Outcome::BankProtocolError,
            Self::Bank(BankError::Unavailable { .. }) => Outcome::BankUnavailable,
            Self::Bank(BankError::Throttled { .. }) => Outcome::BankThrottled,
            Self::Bank(BankError::Timeout) => Outcome::BankTimeout,
        }
    }
}
