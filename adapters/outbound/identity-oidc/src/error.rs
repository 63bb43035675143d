//! Errors of requests to the provider. None of them contains a token, a code or a secret.

use std::sync::Arc;

use ports::outbound::IdentityError;

/// Failure of a request to the provider.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    /// No connection, no response, or no response in time.
    #[error("the identity provider could not be reached")]
    NoResponse(#[source] reqwest::Error),
    /// The connection broke, or the time was over, during a response.
    #[error("the identity provider's response broke off")]
    Truncated(#[source] reqwest::Error),
    /// Status 5xx or 429.
    #[error("the identity provider failed with HTTP {0}")]
    Status(u16),
    #[error("{response}: {problem}")]
    Unusable {
        /// Name of the response.
        response: &'static str,
        /// The problem, and its remedy.
        problem: String,
    },
    /// Failure to fetch the discovery document, which every other request needs.
    #[error(transparent)]
    Discovery(Arc<ProviderError>),
    /// The fetch was stopped by a panic or by the end of the process.
    #[error("the request to the identity provider was interrupted")]
    Interrupted,
}

impl ProviderError {
    pub(crate) fn unusable(response: &'static str, problem: impl Into<String>) -> Self {
        Self::Unusable {
            response,
            problem: problem.into(),
        }
    }
}

/// Converts an error to the port's.
pub(crate) fn identity_error(error: &Arc<ProviderError>) -> IdentityError {
    match &**error {
        ProviderError::Unusable { .. } => IdentityError::Unusable(error.to_string()),
        ProviderError::Discovery(error) => identity_error(error),
        ProviderError::NoResponse(_)
        | ProviderError::Truncated(_)
        | ProviderError::Status(_)
        | ProviderError::Interrupted => {
            IdentityError::Unavailable(Arc::<ProviderError>::clone(error))
        }
    }
}
