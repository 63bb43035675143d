//! Errors of a query, and their mapping to the port's. None contains text of a page or a form: both
//! are full of personal data.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ports::outbound::BankError;
use reqwest::StatusCode;

/// `retry_after` when the portal couldn't be reached or failed. An estimate: observed outages last
/// seconds (a restarted server) or hours.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Metadata of a page without its text: enough to find it among the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageSummary {
    pub(crate) status: StatusCode,
    pub(crate) bytes: usize,
    /// The first 64 bits of its SHA-256.
    pub(crate) fingerprint: u64,
}

impl fmt::Display for PageSummary {
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

/// Failure of a request without a response, not even a status line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// No connection: the portal has not seen the request.
    #[error("no connection")]
    NotConnected(#[source] reqwest::Error),
    #[error("the connection was closed without a response")]
    Closed(#[source] reqwest::Error),
    /// Any other failure before a response.
    #[error("the request broke")]
    Broken(#[source] reqwest::Error),
}

impl SendError {
    /// Returns whether a second attempt may succeed and can't have a side effect on the first.
    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self, Self::NotConnected(_) | Self::Closed(_))
    }
}

/// Failure of a query, apart from timeouts and throttling.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    /// No response: the connection was refused, reset or closed.
    #[error("the portal could not be asked")]
    NoResponse(#[source] SendError),
    #[error("the response is not HTTP")]
    NotHttp(#[source] reqwest::Error),
    /// The connection broke during a response.
    #[error("the portal's response broke off")]
    Interrupted(#[source] reqwest::Error),
    /// A 5xx. On a download it means that the portal's session has no proof ready (any more): the
    /// portal said "ready" in this session, so it has lost it since; another query may succeed.
    #[error("the portal failed with HTTP {}", .0.as_u16())]
    ServerError(StatusCode),
    /// A page that says that the portal is closed or has failed.
    #[error("the portal says that it cannot answer now")]
    Temporary,
    /// A page that isn't recognised, or is unexpected at this step.
    #[error("an unknown page: {0}")]
    UnknownPage(PageSummary),
    #[error("the portal calls our form incomplete: {0}")]
    FormRejected(PageSummary),
    #[error("a response of more than {limit} bytes")]
    TooLarge { limit: usize },
    /// A download with a document type declaration: no proof has one.
    #[error("an XML with a document type declaration: {0}")]
    DocumentType(PageSummary),
    #[error("a list of participants with a damaged entry")]
    DamagedList,
    #[error("a file that is named after another transfer")]
    WrongFile,
}

impl LookupError {
    /// Returns the `error.type` attribute of spans; `_OTHER` for errors that no single request ends with.
    pub(crate) fn error_type(&self) -> &'static str {
        match self {
            Self::NoResponse(SendError::NotConnected(_)) => "not_connected",
            Self::NoResponse(SendError::Closed(_)) => "closed",
            Self::NoResponse(SendError::Broken(_)) => "broken",
            Self::NotHttp(_) => "not_http",
            Self::Interrupted(_) => "broken_off",
            Self::TooLarge { .. } => "too_large",
            Self::ServerError(_)
            | Self::Temporary
            | Self::UnknownPage(_)
            | Self::FormRejected(_)
            | Self::DocumentType(_)
            | Self::DamagedList
            | Self::WrongFile => "_OTHER",
        }
    }
}

impl From<LookupError> for BankError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NoResponse(_)
            | LookupError::Interrupted(_)
            | LookupError::ServerError(_)
            | LookupError::Temporary => Self::Unavailable {
                retry_after: RETRY_AFTER,
                cause: Arc::new(error),
            },
            LookupError::NotHttp(_)
            | LookupError::UnknownPage(_)
            | LookupError::FormRejected(_)
            | LookupError::TooLarge { .. }
            | LookupError::DocumentType(_)
            | LookupError::DamagedList
            | LookupError::WrongFile => Self::Protocol {
                cause: Arc::new(error),
            },
        }
    }
}
