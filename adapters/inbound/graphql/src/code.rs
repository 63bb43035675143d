//! The machine-readable codes of errors, in `extensions.code`, and the status of an answer that
//! holds nothing else.

use axum::http::StatusCode;

/// A code. It never changes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The body, the query or an argument can't be understood.
    InvalidRequest,
    /// The query asks for more than one request may.
    QueryTooComplex,
    /// The body is too large.
    PayloadTooLarge,
    /// The body isn't declared as JSON.
    UnsupportedMediaType,
    /// Not a POST.
    MethodNotAllowed,
    /// Only admins may.
    Forbidden,
    /// What an argument narrows to doesn't exist.
    NotFound,
    /// The body came, or the answer was found, too slowly.
    Timeout,
    /// We failed.
    InternalError,
}

impl Code {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::QueryTooComplex => "QUERY_TOO_COMPLEX",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::Forbidden => "FORBIDDEN",
            Self::NotFound => "NOT_FOUND",
            Self::Timeout => "TIMEOUT",
            Self::InternalError => "INTERNAL_ERROR",
        }
    }

    /// The status of a request that was refused as a whole. One that was executed has 200, whatever
    /// became of its fields.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::QueryTooComplex => StatusCode::BAD_REQUEST,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Timeout => StatusCode::SERVICE_UNAVAILABLE,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}
