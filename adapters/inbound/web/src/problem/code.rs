//! Machine-readable error codes, and the HTTP status of each.

use axum::http::StatusCode;

/// An error code of the API. It doesn't depend on the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The request is malformed, or a field is invalid.
    InvalidRequest,
    /// A GraphQL document exceeds a limit on its size or cost.
    QueryTooComplex,
    InferenceFailed,
    InvalidApiKey,
    /// No valid session, or no credential at all.
    Unauthenticated,
    /// The monthly quota is used up.
    QuotaExceeded,
    /// Reserved for admins, or sent by a page of another site.
    Forbidden,
    /// The bank has no such proof, or the account no such resource.
    NotFound,
    RouteNotFound,
    MethodNotAllowed,
    RequestTimeout,
    /// The resource's state doesn't allow the operation.
    Conflict,
    IdempotencyKeyReused,
    IdempotencyKeyInProgress,
    PayloadTooLarge,
    /// The `Content-Type` or `Content-Encoding` isn't one that the route accepts.
    UnsupportedMediaType,
    /// A rate limit or a limit on connections is exceeded.
    RateLimitExceeded,
    /// A bug or an unexpected failure in the gateway.
    InternalError,
    /// The gateway lacks a program that the operation needs.
    NotImplemented,
    /// The bank's response could not be parsed.
    BankProtocolError,
    BankUnavailable,
    /// The rate limit of bank queries is used up.
    BankThrottled,
    /// The database, the limiter or another dependency is unavailable.
    ServiceUnavailable,
    /// GraphQL: the body or the execution exceeded its deadline.
    Timeout,
    BankTimeout,
}

impl Code {
    /// The code as it appears in responses, such as `INVALID_REQUEST`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::QueryTooComplex | Self::InferenceFailed => {
                StatusCode::BAD_REQUEST
            }
            Self::InvalidApiKey | Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::QuotaExceeded => StatusCode::PAYMENT_REQUIRED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound | Self::RouteNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict | Self::IdempotencyKeyInProgress => StatusCode::CONFLICT,
            Self::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RateLimitExceeded => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotImplemented => StatusCode::NOT_IMPLEMENTED,
            Self::BankProtocolError => StatusCode::BAD_GATEWAY,
            Self::BankUnavailable
            | Self::BankThrottled
            | Self::ServiceUnavailable
            | Self::Timeout => StatusCode::SERVICE_UNAVAILABLE,
            Self::BankTimeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}
