//! Errors of a request that is refused before execution.

use std::time::Duration;

use async_graphql::{Pos, ServerError, parser};
use web::Code;
use web::problem::GraphqlProblem;

use crate::limits::MAX_NESTING;
use crate::text::shortened;

/// Maximum validation errors in a response.
const MAX_REPORTED_ERRORS: usize = 10;

/// Reasons why a request isn't executed; at least one.
#[derive(Debug)]
pub(crate) struct RequestError {
    /// Each problem with its locations in the document.
    pub(crate) problems: Vec<(GraphqlProblem, Vec<Pos>)>,
}

impl RequestError {
    /// Converts async-graphql's validation errors, sorted because their order varies.
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

    /// The code of the first problem.
    pub(crate) fn code(&self) -> Code {
        self.first().code()
    }

    /// Time after which the same request may succeed, by the first problem.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.first().retry_after()
    }

    /// True if the request is well-formed and its document violates a rule of GraphQL. Exceeding one of our
    /// limits doesn't count, so it has the same status in both media types.
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
    /// Keeps only the location: the parser's text names internal grammar rules.
    fn from(error: parser::Error) -> Self {
        if matches!(error, parser::Error::RecursionLimitExceeded) {
            return GraphqlProblem::Nesting { most: MAX_NESTING }.into();
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
