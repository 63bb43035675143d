//! Errors of a field. Resolvers return no other type, so that no text of a cause can leak; its words
//! are chosen when the response is rendered.

use domain::usage::PeriodError;
use ports::Cause;
use ports::inbound::KeyError;

/// Longest search text; a key's name has at most 100 characters.
pub(crate) const MAX_SEARCH_CHARS: usize = 200;

/// Reason for a field without a value.
#[derive(Clone, Debug)]
pub(crate) enum FieldError {
    /// Admins only.
    Forbidden,
    /// An argument narrows to something that doesn't exist, or isn't the caller's.
    NotFound,
    /// An argument is of its type, and invalid nevertheless.
    InvalidArgument {
        /// The argument, as a path.
        argument: &'static str,
        /// The rule that it breaks.
        problem: ArgumentProblem,
    },
    /// The store or the limiter failed.
    Unexpected(Cause),
    /// A list that has a total came without it: a bug.
    TotalMissing,
}

/// Rule that an argument breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentProblem {
    /// Not 1 to 100.
    PageSize,
    /// Not a cursor of this list.
    Cursor,
    /// Not shaped like an id.
    Id,
    /// Not shaped like a request id.
    RequestId,
    /// Longer than [`MAX_SEARCH_CHARS`].
    SearchText,
    /// The span ends before it begins.
    Backwards,
    /// Neither or both of `newest` and the pair of `from` and `to`.
    RangeEnds,
    /// Not a period.
    Period(PeriodError),
}

impl FieldError {
    pub(crate) fn invalid(argument: &'static str, problem: ArgumentProblem) -> Self {
        Self::InvalidArgument { argument, problem }
    }
}

impl From<KeyError> for FieldError {
    /// The error of a query. Expected refusals of mutations are data; as the result of a query they
    /// are as unexpected as a failing store.
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => Self::NotFound,
            KeyError::Forbidden => Self::Forbidden,
            KeyError::Cursor => Self::invalid("after", ArgumentProblem::Cursor),
            KeyError::Store(cause) => Self::Unexpected(cause),
            error @ (KeyError::Revoked
            | KeyError::AlreadyRotated
            | KeyError::TooManyKeys { .. }) => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<FieldError> for async_graphql::Error {
    /// The error as it travels through the library: without a text of its own.
    fn from(error: FieldError) -> Self {
        Self {
            message: String::new(),
            source: Some(std::sync::Arc::new(error)),
            extensions: None,
        }
    }
}
