//! The machine-readable codes of errors, and the status of each.

use axum::http::StatusCode;

/// A code of the contract. It never changes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    InvalidRequest,
    InferenceFailed,
    InvalidApiKey,
    QuotaExceeded,
    NotFound,
    RouteNotFound,
    MethodNotAllowed,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimitExceeded,
    InternalError,
    BankProtocolError,
    BankUnavailable,
    BankThrottled,
    ServiceUnavailable,
    BankTimeout,
}

impl Code {
    /// All codes, by status.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 17] = [
        Self::InvalidRequest,
        Self::InferenceFailed,
        Self::InvalidApiKey,
        Self::QuotaExceeded,
        Self::NotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::RateLimitExceeded,
        Self::InternalError,
        Self::BankProtocolError,
        Self::BankUnavailable,
        Self::BankThrottled,
        Self::ServiceUnavailable,
        Self::BankTimeout,
    ];

    /// The code as it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::InferenceFailed => "INFERENCE_FAILED",
            Self::InvalidApiKey => "INVALID_API_KEY",
            Self::QuotaExceeded => "QUOTA_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::RouteNotFound => "ROUTE_NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::RateLimitExceeded => "RATE_LIMIT_EXCEEDED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::BankProtocolError => "BANK_PROTOCOL_ERROR",
            Self::BankUnavailable => "BANK_UNAVAILABLE",
            Self::BankThrottled => "BANK_THROTTLED",
            Self::ServiceUnavailable => "SERVICE_UNAVAILABLE",
            Self::BankTimeout => "BANK_TIMEOUT",
        }
    }

    /// The status that goes with it.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::InferenceFailed => StatusCode::BAD_REQUEST,
            Self::InvalidApiKey => StatusCode::UNAUTHORIZED,
            Self::QuotaExceeded => StatusCode::PAYMENT_REQUIRED,
            Self::NotFound | Self::RouteNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RateLimitExceeded => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::BankProtocolError => StatusCode::BAD_GATEWAY,
            Self::BankUnavailable | Self::BankThrottled | Self::ServiceUnavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::BankTimeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}
