//! The machine-readable codes of errors, and the status of each.

use axum::http::StatusCode;

/// A code of the contract. It never changes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request is malformed, or a field of it is faulty.
    InvalidRequest,
    /// A bank could not be inferred.
    InferenceFailed,
    /// The API key is missing, invalid or revoked.
    InvalidApiKey,
    /// There is no session.
    Unauthenticated,
    /// The month's quota is used up.
    QuotaExceeded,
    /// The session may not do this, or the request comes from elsewhere.
    Forbidden,
    /// There is no such proof, or no such thing within the caller's reach.
    NotFound,
    /// There is no such route.
    RouteNotFound,
    /// The route has other methods.
    MethodNotAllowed,
    /// The body didn't arrive in time.
    RequestTimeout,
    /// What is there already doesn't allow it.
    Conflict,
    /// The body is too large.
    PayloadTooLarge,
    /// The body is no JSON, by its own declaration.
    UnsupportedMediaType,
    /// The minute's limit is used up.
    RateLimitExceeded,
    /// We failed.
    InternalError,
    /// The bank's answer could not be understood.
    BankProtocolError,
    /// The bank can't be reached.
    BankUnavailable,
    /// The bank may not be asked now.
    BankThrottled,
    /// Something that we stand on can't be reached.
    ServiceUnavailable,
    /// The bank didn't answer in time.
    BankTimeout,
}

impl Code {
    /// All codes, by status.
    pub const ALL: [Self; 20] = [
        Self::InvalidRequest,
        Self::InferenceFailed,
        Self::InvalidApiKey,
        Self::Unauthenticated,
        Self::QuotaExceeded,
        Self::Forbidden,
        Self::NotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::Conflict,
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
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::InferenceFailed => "INFERENCE_FAILED",
            Self::InvalidApiKey => "INVALID_API_KEY",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::QuotaExceeded => "QUOTA_EXCEEDED",
            Self::Forbidden => "FORBIDDEN",
            Self::NotFound => "NOT_FOUND",
            Self::RouteNotFound => "ROUTE_NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::Conflict => "CONFLICT",
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
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::InferenceFailed => StatusCode::BAD_REQUEST,
            Self::InvalidApiKey | Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::QuotaExceeded => StatusCode::PAYMENT_REQUIRED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound | Self::RouteNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict => StatusCode::CONFLICT,
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
