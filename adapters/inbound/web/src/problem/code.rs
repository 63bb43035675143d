//! Machine-readable codes of errors, and the status of each.

use axum::http::StatusCode;

/// A code of the contract. It never changes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The request is malformed, or a field of it is faulty.
    InvalidRequest,
    /// A GraphQL query asks for more than one request may.
    QueryTooComplex,
    /// A bank could not be inferred.
    InferenceFailed,
    /// The API key is missing, invalid or revoked.
    InvalidApiKey,
    /// There is no session.
    Unauthenticated,
    /// The month's quota is used up.
    QuotaExceeded,
    /// The session may not do this, or the request comes from another site.
    Forbidden,
    /// There is no such proof, or no such resource within the caller's reach.
    NotFound,
    /// There is no such route.
    RouteNotFound,
    /// The route has other methods.
    MethodNotAllowed,
    /// The body didn't arrive in time.
    RequestTimeout,
    /// The resource's state doesn't allow it.
    Conflict,
    /// The idempotency key was used for another request.
    IdempotencyKeyReused,
    /// The first request with the idempotency key is still running.
    IdempotencyKeyInProgress,
    /// The body is too large.
    PayloadTooLarge,
    /// The body isn't declared as JSON.
    UnsupportedMediaType,
    /// The minute's limit is used up.
    RateLimitExceeded,
    /// A fault of the gateway.
    InternalError,
    /// The bank's answer could not be understood.
    BankProtocolError,
    /// The bank can't be reached.
    BankUnavailable,
    /// The bank may not be asked now.
    BankThrottled,
    /// A dependency of the gateway can't be reached.
    ServiceUnavailable,
    /// GraphQL: the body came, or the answer was found, too slowly.
    Timeout,
    /// The bank didn't answer in time.
    BankTimeout,
}

impl Code {
    /// Returns the code as it is written.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the status that goes with it.
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
            Self::BankProtocolError => StatusCode::BAD_GATEWAY,
            Self::BankUnavailable
            | Self::BankThrottled
            | Self::ServiceUnavailable
            | Self::Timeout => StatusCode::SERVICE_UNAVAILABLE,
            Self::BankTimeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}
