//! Conversion of errors of serde and validator to field problems.

use std::fmt::Display;

use serde::de;
use serde_json::Value;
use validator::{Validate, ValidationError};
use web::problem::{FieldFault, FieldProblem};

/// Problems without data, which errors of serde and validator carry as a code.
const BY_CODE: [FieldProblem; 7] = [
    FieldProblem::MalformedName,
    FieldProblem::MalformedText,
    FieldProblem::MalformedInstant,
    FieldProblem::MalformedId,
    FieldProblem::WrongCursor,
    FieldProblem::Backwards,
    FieldProblem::MalformedMapping,
];

fn by_code(code: &str) -> FieldProblem {
    let problem = BY_CODE.into_iter().find(|problem| problem.code() == code);
    problem.expect("the readers of texts and the rules have codes of these problems")
}

/// Error of deserialising a member or a struct.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The member's value is invalid.
    #[error("{}", .0.code())]
    Faulty(FieldProblem),
}

impl From<FieldProblem> for Error {
    fn from(problem: FieldProblem) -> Self {
        Self::Faulty(problem)
    }
}

impl de::Error for Error {
    fn custom<T: Display>(code: T) -> Self {
        Self::Faulty(by_code(&code.to_string()))
    }

    fn unknown_variant(_: &str, words: &'static [&'static str]) -> Self {
        Self::Faulty(FieldProblem::NotOneOf { words })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Missing(name)
    }
}

/// Error of a rule on several members of a struct; `field` is the one to correct.
pub(crate) fn rule_error(field: &'static str, problem: &FieldProblem) -> ValidationError {
    let mut error = ValidationError::new(problem.code());
    error.add_param("field".into(), &field);
    if let FieldProblem::OutOfRange { least, most } = problem {
        error.add_param("min".into(), least);
        error.add_param("max".into(), most);
    }
    error
}

/// Validates a struct, and returns the errors in no particular order.
pub(super) fn broken_rules(input: &impl Validate) -> Vec<FieldFault> {
    let errors = input.validate().err().unwrap_or_default();
    let fields = errors.field_errors().into_iter();
    let faults = fields.flat_map(|(field, errors)| errors.iter().map(move |it| fault(&field, it)));
    faults.collect()
}

fn fault(field: &str, error: &ValidationError) -> FieldFault {
    let number = |name| error.params.get(name).and_then(Value::as_u64);
    let problem = match (number("min"), number("max")) {
        (Some(least), Some(most)) => FieldProblem::OutOfRange { least, most },
        _ => by_code(&error.code),
    };
    let named = error.params.get("field").and_then(Value::as_str);
    FieldFault::new(named.unwrap_or(field).to_owned(), problem)
}
