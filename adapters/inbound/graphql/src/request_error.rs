//! Errors of a request that isn't executed.

use async_graphql::{Pos, ServerError, parser};

use crate::error_code::ErrorCode;
use crate::limits::{Limit, LimitError};
use crate::nesting::TextError;

/// A body that holds no GraphQL request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyProblem {
    /// The method isn't POST.
    Method,
    /// It isn't declared as JSON.
    MediaType,
    /// It is too large.
    TooLarge,
    /// It didn't arrive in time.
    TooSlow,
    /// It was cut off.
    Incomplete,
    /// It isn't JSON.
    NotJson {
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error, from 1.
        column: usize,
    },
    /// It holds several requests.
    Batch,
    /// It lacks `query`, or a member is of another type than a request's.
    Shape,
}

/// Reason not to execute a request.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// The body holds no GraphQL request.
    Body(BodyProblem),
    /// The document can't be parsed.
    Syntax(Vec<Pos>),
    /// The document exceeds a limit.
    Limit(Limit),
    /// A fragment spreads itself.
    FragmentCycle,
    /// The argument `first` of a field isn't 1 to 100.
    PageSize {
        /// The field.
        field: String,
    },
    /// Introspection is off.
    IntrospectionOff,
    /// The document has several operations, and none is named.
    OperationNameMissing,
    /// The document has no operation of that name.
    UnknownOperation,
    /// A variable that must have a value has none.
    VariableMissing(String),
    /// The document doesn't fit the schema.
    Validation(Vec<ServerError>),
    /// Execution exceeded its deadline.
    Timeout {
        /// The deadline.
        seconds: u64,
    },
    /// Execution failed as a whole. The cause was logged.
    Internal,
}

impl RequestError {
    /// The code that clients see.
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Body(problem) => match problem {
                BodyProblem::Method => ErrorCode::MethodNotAllowed,
                BodyProblem::MediaType => ErrorCode::UnsupportedMediaType,
                BodyProblem::TooLarge => ErrorCode::PayloadTooLarge,
                BodyProblem::TooSlow => ErrorCode::Timeout,
                BodyProblem::Incomplete
                | BodyProblem::NotJson { .. }
                | BodyProblem::Batch
                | BodyProblem::Shape => ErrorCode::InvalidRequest,
            },
            Self::Limit(_) => ErrorCode::QueryTooComplex,
            Self::Syntax(_)
            | Self::FragmentCycle
            | Self::PageSize { .. }
            | Self::IntrospectionOff
            | Self::OperationNameMissing
            | Self::UnknownOperation
            | Self::VariableMissing(_)
            | Self::Validation(_) => ErrorCode::InvalidRequest,
            Self::Timeout { .. } => ErrorCode::Timeout,
            Self::Internal => ErrorCode::InternalError,
        }
    }

    /// True if the request is well-formed and its document invalid by a rule of GraphQL. The limits
    /// are none, so that exceeding one has the same status in both media types.
    pub(crate) fn is_invalid_document(&self) -> bool {
        matches!(
            self,
            Self::Syntax(_)
                | Self::OperationNameMissing
                | Self::UnknownOperation
                | Self::VariableMissing(_)
                | Self::Validation(_)
        )
    }
}

impl From<LimitError> for RequestError {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Exceeded(limit) => Self::Limit(limit),
            LimitError::FragmentCycle => Self::FragmentCycle,
            LimitError::PageSize { field } => Self::PageSize { field },
            LimitError::IntrospectionOff => Self::IntrospectionOff,
        }
    }
}

impl From<TextError> for RequestError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Exceeded(limit) => Self::Limit(limit),
            TextError::OpenBlockString => Self::Syntax(Vec::new()),
        }
    }
}

impl From<parser::Error> for RequestError {
    /// The parser's own text names the rules of its grammar; the location is enough.
    fn from(error: parser::Error) -> Self {
        match error {
            parser::Error::RecursionLimitExceeded => Self::Limit(Limit::Nesting),
            error => Self::Syntax(error.positions().collect()),
        }
    }
}
