//! The machine-readable codes of errors, in `extensions.code`.

use axum::http::StatusCode;

/// Code of an error. It never changes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    /// The body, the document or an argument is invalid.
    InvalidRequest,
    /// The document exceeds a limit.
    QueryTooComplex,
    /// The body is too large.
    PayloadTooLarge,
    /// The body isn't declared as JSON.
    UnsupportedMediaType,
    /// The method isn't POST.
    MethodNotAllowed,
    /// Admins only.
    Forbidden,
    /// An argument narrows to something that doesn't exist.
    NotFound,
    /// The body or the execution exceeded its deadline.
    Timeout,
    /// The gateway failed.
    InternalError,
}

impl ErrorCode {
    /// The code as it is written.
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

    /// Status of a request that was refused as a whole. One that was executed has 200, whatever
    /// errors its fields have.
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
