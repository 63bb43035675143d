//! What can go wrong with the portal, and what the port calls it. Nothing here holds a word of a
//! page or a form: both are full of personal data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ports::outbound::BankError;
use reqwest::StatusCode;

use crate::wire::Unanswered;

/// When to try again after the portal couldn't be reached or failed. Guessed: outages that were
/// seen last seconds (a restarted server) or hours.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(30);

/// A page, described without a word of it: enough to find it among the kept ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) status: StatusCode,
    pub(crate) bytes: usize,
    /// The first 64 bits of its SHA-256.
    pub(crate) fingerprint: u64,
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            status,
            bytes,
            fingerprint,
        } = self;
        write!(
            f,
            "HTTP {}, {bytes} bytes, fingerprint {fingerprint:016x}",
            status.as_u16()
        )
    }
}

/// Why a lookup has no answer, apart from time and throttling.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Nothing was answered: refused, reset, closed.
    #[error("the portal could not be asked")]
    Unanswered(#[source] Unanswered),
    /// Something was answered that isn't HTTP.
    #[error("the answer is not HTTP")]
    NotHttp(#[source] reqwest::Error),
    /// The connection broke within an answer.
    #[error("the portal's answer broke off")]
    BrokenOff(#[source] reqwest::Error),
    /// A 5xx. On the download it means that the session isn't armed (any more): the portal said
    /// "ready" in this very session, so it has lost it since, which another lookup mends.
    #[error("the portal failed with HTTP {}", .0.as_u16())]
    Failed(StatusCode),
    /// The portal says that it is closed or has failed.
    #[error("the portal says that it cannot answer now")]
    Temporary,
    /// A page that nobody has seen before, or one that makes no sense here.
    #[error("an unknown page: {0}")]
    UnknownPage(Description),
    /// The portal says that our form is incomplete.
    #[error("the portal calls our form incomplete: {0}")]
    FormRefused(Description),
    /// More than we are ready to read.
    #[error("an answer of more than {limit} bytes")]
    TooLarge { limit: usize },
    /// A download with a document type declaration: no proof has one.
    #[error("an XML with a document type declaration: {0}")]
    DocumentType(Description),
    /// A download that is named after another transfer.
    #[error("a file that is named after another transfer")]
    AnotherFile,
}

impl Fault {
    /// The word that traces know it by, of those that a single request can end with.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Unanswered(Unanswered::NotConnected(_)) => "not_connected",
            Self::Unanswered(Unanswered::Closed(_)) => "closed",
            Self::Unanswered(Unanswered::Broken(_)) => "broken",
            Self::NotHttp(_) => "not_http",
            Self::BrokenOff(_) => "broken_off",
            Self::TooLarge { .. } => "too_large",
            Self::Failed(_)
            | Self::Temporary
            | Self::UnknownPage(_)
            | Self::FormRefused(_)
            | Self::DocumentType(_)
            | Self::AnotherFile => "_OTHER",
        }
    }
}

impl From<Fault> for BankError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unanswered(_) | Fault::BrokenOff(_) | Fault::Failed(_) | Fault::Temporary => {
                Self::Unavailable {
                    retry_after: RETRY_AFTER,
                    cause: Arc::new(fault),
                }
            }
            Fault::NotHttp(_)
            | Fault::UnknownPage(_)
            | Fault::FormRefused(_)
            | Fault::TooLarge { .. }
            | Fault::DocumentType(_)
            | Fault::AnotherFile => Self::Protocol {
                cause: Arc::new(fault),
            },
        }
    }
}
