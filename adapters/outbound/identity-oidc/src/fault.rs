//! What can go wrong with the provider. Nothing here holds a token, a code or a secret.

use std::sync::Arc;

use ports::outbound::IdentityError;

/// Why the provider's answer is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// No connection, no answer, or no answer in time.
    #[error("the identity provider could not be asked")]
    Unanswered(#[source] reqwest::Error),
    /// The connection broke, or time was up, within an answer.
    #[error("the identity provider's answer broke off")]
    BrokenOff(#[source] reqwest::Error),
    /// It says itself that it fails, or has too much to do.
    #[error("the identity provider failed with HTTP {0}")]
    Failed(u16),
    /// It answers, but not with what it should.
    #[error("{what}: {problem}")]
    Unusable {
        /// Which answer.
        what: &'static str,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// What had to be fetched first couldn't be.
    #[error(transparent)]
    Shared(Arc<Fault>),
    /// Another process asked in vain, or hasn't had an answer yet.
    #[error("another process could not ask the identity provider; it is asked again in a moment")]
    Elsewhere,
    /// The task that asked was stopped: the process ends.
    #[error("asking the identity provider was interrupted")]
    Interrupted,
}

impl Fault {
    pub(crate) fn unusable(what: &'static str, problem: impl Into<String>) -> Self {
        Self::Unusable {
            what,
            problem: problem.into(),
        }
    }
}

/// What the port calls a fault.
pub(crate) fn identity_error(fault: &Arc<Fault>) -> IdentityError {
    match &**fault {
        Fault::Unusable { .. } => IdentityError::Unusable(fault.to_string()),
        Fault::Shared(fault) => identity_error(fault),
        Fault::Unanswered(_)
        | Fault::BrokenOff(_)
        | Fault::Failed(_)
        | Fault::Elsewhere
        | Fault::Interrupted => IdentityError::Unavailable(Arc::<Fault>::clone(fault)),
    }
}
