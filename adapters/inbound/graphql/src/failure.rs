//! Why a field has no value. Resolvers fail with nothing else, so that no text of a cause can
//! reach the outside; what people are told is decided in one place, [`crate::answer`].

use domain::usage::PeriodError;
use ports::Cause;
use ports::inbound::KeyError;

/// Why a field has no value.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// Only admins may ask this.
    Forbidden,
    /// What an argument narrows to doesn't exist, or isn't the caller's.
    NotFound,
    /// An argument has a value that can't be.
    Invalid {
        /// The argument, as a path.
        argument: &'static str,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A store or the limiter failed.
    Unexpected(Cause),
    /// A list that has a total came without it: a fault of ours.
    Uncounted,
}

/// What is wrong with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Not 1 to 100.
    PageSize,
    /// No cursor of this list.
    Cursor,
    /// It has the shape of no id.
    Id,
    /// It has the shape of no request id.
    RequestId,
    /// Too long to be searched for.
    SearchText,
    /// A span of time that ends before it begins.
    Backwards,
    /// Neither or both of `newest` and the pair of `from` and `to`.
    RangeEnds,
    /// No period.
    Period(PeriodError),
}

impl Failure {
    pub(crate) fn invalid(argument: &'static str, problem: Problem) -> Self {
        Self::Invalid { argument, problem }
    }
}

impl From<KeyError> for Failure {
    /// What a question can be refused with. Refusals of mutations are data; as an answer to a
    /// question they are as unexpected as a broken store.
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => Self::NotFound,
            KeyError::Forbidden => Self::Forbidden,
            KeyError::Cursor => Self::invalid("after", Problem::Cursor),
            KeyError::Store(cause) => Self::Unexpected(cause),
            error @ (KeyError::Revoked
            | KeyError::AlreadyRotated
            | KeyError::TooManyKeys { .. }) => Self::Unexpected(std::sync::Arc::new(error)),
        }
    }
}

impl From<Failure> for async_graphql::Error {
    /// The failure as it travels through the library: without a text of its own.
    fn from(failure: Failure) -> Self {
        Self {
            message: String::new(),
            source: Some(std::sync::Arc::new(failure)),
            extensions: None,
        }
    }
}
