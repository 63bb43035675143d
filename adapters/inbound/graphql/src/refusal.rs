//! Why a request is refused before anything of it is executed.

use async_graphql::{Pos, ServerError};

use crate::arguments::Unfit;
use crate::code::Code;
use crate::limits::{Breach, Limit};
use crate::messages::Messages;
use crate::nesting::TextFault;

/// What is wrong with a request before its query is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyProblem {
    /// It isn't a POST.
    Method,
    /// It isn't declared as JSON.
    MediaType,
    /// It is too large.
    TooLarge,
    /// It didn't arrive in time.
    TooSlow,
    /// It ended before its end.
    Incomplete,
    /// It isn't JSON.
    NotJson {
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
    },
    /// It holds several requests.
    Batch,
    /// It has other members, or of other types, than a request.
    Shape,
}

/// Why a request isn't executed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its body can't be had.
    Body(BodyProblem),
    /// Its query can't be parsed.
    Syntax(Vec<Pos>),
    /// It asks for more than one request may, or for what nobody may.
    Breach(Breach),
    /// It has several operations, and doesn't say which one.
    OperationWanted,
    /// It says another operation than it has.
    UnknownOperation,
    /// It gives no value for a variable that must have one.
    Variable(String),
    /// A variable stands where one of its type can't.
    VariableType {
        /// The variable.
        name: String,
        /// Its type.
        has: String,
        /// The type that is wanted where it stands.
        wanted: String,
        /// Where that is.
        at: Pos,
    },
    /// Values of its arguments can't be; at least one.
    Arguments(Vec<Unfit>),
    /// Its query doesn't fit the schema.
    Document(Vec<ServerError>),
    /// There was no answer in time.
    Timeout {
        /// How long was waited.
        seconds: u64,
    },
    /// We failed. The cause was logged.
    Internal,
}

/// One error of an answer.
pub(crate) struct Sentence {
    pub(crate) message: String,
    pub(crate) locations: Vec<Pos>,
}

/// Most errors of a document that are told, and most characters of each.
const MAX_TOLD: usize = 10;
const MAX_TOLD_CHARS: usize = 300;

impl Refusal {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Body(problem) => match problem {
                BodyProblem::Method => Code::MethodNotAllowed,
                BodyProblem::MediaType => Code::UnsupportedMediaType,
                BodyProblem::TooLarge => Code::PayloadTooLarge,
                BodyProblem::TooSlow => Code::Timeout,
                BodyProblem::Incomplete
                | BodyProblem::NotJson { .. }
                | BodyProblem::Batch
                | BodyProblem::Shape => Code::InvalidRequest,
            },
            Self::Breach(Breach::Exceeds(_)) => Code::QueryTooComplex,
            Self::Syntax(_)
            | Self::Breach(
                Breach::FragmentCycle | Breach::PageSize { .. } | Breach::IntrospectionIsOff,
            )
            | Self::OperationWanted
            | Self::UnknownOperation
            | Self::Variable(_)
            | Self::VariableType { .. }
            | Self::Arguments(_)
            | Self::Document(_) => Code::InvalidRequest,
            Self::Timeout { .. } => Code::Timeout,
            Self::Internal => Code::InternalError,
        }
    }

    /// What is told of it; at least one sentence.
    pub(crate) fn sentences(&self, messages: &dyn Messages) -> Vec<Sentence> {
        let (message, locations) = match self {
            Self::Document(errors) => return told(errors, messages),
            Self::Body(problem) => (messages.body_problem(*problem), Vec::new()),
            Self::Syntax(places) => {
                let place = places.first().map(|place| (place.line, place.column));
                (messages.syntax(place), places.clone())
            }
            Self::Breach(breach) => (breach_message(breach, messages), Vec::new()),
            Self::OperationWanted => (messages.operation_wanted(), Vec::new()),
            Self::UnknownOperation => (messages.unknown_operation(), Vec::new()),
            Self::Variable(name) => (messages.variable_wanted(&shortened(name)), Vec::new()),
            Self::VariableType {
                name,
                has,
                wanted,
                at,
            } => {
                let message = messages.variable_type(&shortened(name), &shortened(has), wanted);
                (message, vec![*at])
            }
            Self::Arguments(unfit) => return unfit_told(unfit, messages),
            Self::Timeout { seconds } => (messages.timeout(*seconds), Vec::new()),
            Self::Internal => (messages.internal_error(), Vec::new()),
        };
        vec![Sentence { message, locations }]
    }
}

fn breach_message(breach: &Breach, messages: &dyn Messages) -> String {
    match breach {
        Breach::Exceeds(limit) => messages.limit(*limit),
        Breach::FragmentCycle => messages.fragment_cycle(),
        Breach::PageSize { field } => messages.page_size(&shortened(field)),
        Breach::IntrospectionIsOff => messages.introspection_is_off(),
    }
}

fn unfit_told(unfit: &[Unfit], messages: &dyn Messages) -> Vec<Sentence> {
    let sentence = |unfit: &Unfit| Sentence {
        message: messages.unfit_argument(&unfit.argument, &unfit.wanted),
        locations: vec![unfit.at],
    };
    unfit.iter().take(MAX_TOLD).map(sentence).collect()
}

fn told(errors: &[ServerError], messages: &dyn Messages) -> Vec<Sentence> {
    let sentence = |error: &ServerError| Sentence {
        message: messages.invalid_document(&shortened(&error.message)),
        locations: error.locations.clone(),
    };
    // The library finds them in no order.
    let mut errors: Vec<_> = errors.iter().collect();
    errors.sort_by_key(|error| (error.locations.first().copied(), &error.message));
    errors.into_iter().take(MAX_TOLD).map(sentence).collect()
}

/// A text of the caller's, or one that repeats it, short enough to be told.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TOLD_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl From<Breach> for Refusal {
    fn from(breach: Breach) -> Self {
        Self::Breach(breach)
    }
}

impl From<TextFault> for Refusal {
    fn from(fault: TextFault) -> Self {
        match fault {
            TextFault::Exceeds(limit) => Self::Breach(Breach::Exceeds(limit)),
            TextFault::OpenBlockString => Self::Syntax(Vec::new()),
        }
    }
}

impl From<async_graphql::parser::Error> for Refusal {
    /// The parser's own text names the rules of its grammar; the place is enough.
    fn from(error: async_graphql::parser::Error) -> Self {
        match error {
            async_graphql::parser::Error::RecursionLimitExceeded => {
                Self::Breach(Breach::Exceeds(Limit::Nesting))
            }
            error => Self::Syntax(error.positions().collect()),
        }
    }
}
