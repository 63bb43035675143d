//! Errors of a field. All resolvers return this type, so that the text of a cause can't reach clients.

use application::{
    AdmissionError, BatchError, KeyError, OwnAccountFailure, PersonLookupError, WebhookError,
};
use ports::Cause;
use web::problem::GraphqlProblem;

/// Reason why a field has no value.
#[derive(Clone, Debug)]
pub(crate) enum FieldError {
    /// The caller may not read the value, or an argument is invalid.
    Problem(GraphqlProblem),
    /// The store or the limiter failed.
    Unexpected(Cause),
    /// A list that should have a total count has none, which is a bug.
    TotalMissing,
}

impl From<GraphqlProblem> for FieldError {
    fn from(problem: GraphqlProblem) -> Self {
        Self::Problem(problem)
    }
}

impl From<KeyError> for FieldError {
    /// The error of a query. The variants that only mutations are expected to return count as unexpected
    /// failures here; mutations return them as data.
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => GraphqlProblem::NotFound.into(),
            KeyError::Forbidden => GraphqlProblem::Forbidden.into(),
            KeyError::Cursor => GraphqlProblem::ArgumentCursor { argument: "after" }.into(),
            KeyError::Store(cause) => Self::Unexpected(cause),
            error @ (KeyError::Revoked
            | KeyError::AlreadyRotated
            | KeyError::TooManyKeys { .. }
            | KeyError::TooManyNewKeys { .. }) => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<PersonLookupError> for FieldError {
    fn from(error: PersonLookupError) -> Self {
        match error {
            PersonLookupError::NotFound => GraphqlProblem::NotFound.into(),
            PersonLookupError::Cursor => {
                GraphqlProblem::ArgumentCursor { argument: "after" }.into()
            }
            PersonLookupError::Unreadable(cause) | PersonLookupError::Store(cause) => {
                Self::Unexpected(cause)
            }
            error @ (PersonLookupError::Final | PersonLookupError::NotFinal) => {
                Self::Unexpected(std::sync::Arc::new(error))
            }
        }
    }
}

impl From<BatchError> for FieldError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Unknown | BatchError::NoSuchKey => GraphqlProblem::NotFound.into(),
            BatchError::Cursor(_) => GraphqlProblem::ArgumentCursor { argument: "after" }.into(),
            BatchError::Refused(AdmissionError::Unavailable { cause, .. })
            | BatchError::Unreadable { cause } => Self::Unexpected(cause),
            error @ (BatchError::Refused(_)
            | BatchError::TooManyReads { .. }
            | BatchError::NotRepeated(_)
            | BatchError::NothingToDo(_)
            | BatchError::TooManyOpen { .. }
            | BatchError::TooManyRows { .. }
            | BatchError::TooManyDownloads
            | BatchError::Final
            | BatchError::NotFinal
            | BatchError::Canceled) => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<OwnAccountFailure> for FieldError {
    fn from(error: OwnAccountFailure) -> Self {
        match error {
            OwnAccountFailure::Store(cause) => Self::Unexpected(cause),
            error => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<WebhookError> for FieldError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::NotFound => GraphqlProblem::NotFound.into(),
            WebhookError::Cursor => GraphqlProblem::ArgumentCursor { argument: "after" }.into(),
            WebhookError::Store(cause) => Self::Unexpected(cause),
            error @ (WebhookError::Url(_)
            | WebhookError::Events(_)
            | WebhookError::TooMany
            | WebhookError::Disabled
            | WebhookError::Pending) => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<FieldError> for async_graphql::Error {
    /// An error with an empty message, so that async-graphql can't expose the cause.
    fn from(error: FieldError) -> Self {
        Self {
            message: String::new(),
            source: Some(std::sync::Arc::new(error)),
            extensions: None,
        }
    }
}
