//! Errors of a request that isn't executed.

use std::time::Duration;

use async_graphql::{Pos, ServerError, parser};
use web::Code;
use web::problem::GraphqlProblem;

use crate::limits::Limit;
use crate::text::shortened;

/// Most validation errors of a document that are reported.
const MAX_REPORTED_ERRORS: usize = 10;

/// Reasons not to execute a request; at least one.
#[derive(Debug)]
pub(crate) struct RequestError {
    /// Problems, and their locations in the document.
    pub(crate) problems: Vec<(GraphqlProblem, Vec<Pos>)>,
}

impl RequestError {
    /// Validation errors of the library, which finds them in no particular order.
    pub(crate) fn of_validation(mut errors: Vec<ServerError>) -> Self {
        errors.sort_by_cached_key(|error| {
            let location = error.locations.first().copied();
            (location, error.message.clone())
        });
        errors.truncate(MAX_REPORTED_ERRORS);
        let problem = |error: ServerError| {
            let reason = shortened(&error.message);
            (GraphqlProblem::InvalidDocument { reason }, error.locations)
        };
        Self {
            problems: errors.into_iter().map(problem).collect(),
        }
    }

    fn first(&self) -> &GraphqlProblem {
        let (problem, _) = &self.problems[0];
        problem
    }

    /// The code that clients see.
    pub(crate) fn code(&self) -> Code {
        self.first().code()
    }

    /// The time after which the same request may succeed.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.first().retry_after()
    }

    /// True if the request is well-formed and its document invalid by a rule of GraphQL. The limits
    /// are none, so that exceeding one has the same status in both media types.
    pub(crate) fn is_invalid_document(&self) -> bool {
        matches!(
            self.first(),
            GraphqlProblem::Syntax { .. }
                | GraphqlProblem::SyntaxUnplaced
                | GraphqlProblem::InvalidDocument { .. }
                | GraphqlProblem::OperationNameRequired
                | GraphqlProblem::UnknownOperation
                | GraphqlProblem::VariableRequired { .. }
        )
    }

    /// True if the body didn't arrive in time.
    pub(crate) fn is_body_timeout(&self) -> bool {
        *self.first() == GraphqlProblem::BodyTimeout
    }
}

impl From<GraphqlProblem> for RequestError {
    fn from(problem: GraphqlProblem) -> Self {
        Self {
            problems: vec![(problem, Vec::new())],
        }
    }
}

impl From<parser::Error> for RequestError {
    /// The parser's own text names the rules of its grammar; the location is enough.
    fn from(error: parser::Error) -> Self {
        if matches!(error, parser::Error::RecursionLimitExceeded) {
            return Limit::Nesting.problem().into();
        }
        let locations: Vec<Pos> = error.positions().collect();
        let problem = match locations.first() {
            Some(&Pos { line, column }) => GraphqlProblem::Syntax { line, column },
            None => GraphqlProblem::SyntaxUnplaced,
        };
        Self {
            problems: vec![(problem, locations)],
        }
    }
}
