//! Expected refusals of mutations, which are data.

use async_graphql::{Context, ID, SimpleObject};
use domain::key::{Grace, KeyId, KeyName, MAX_GRACE_HOURS, MOST_NEW_KEYS};
use domain::lookup::LookupId;
use ports::inbound::{KeyError, PersonLookupError};
use web::Language;
use web::problem::UserProblem;

use super::context::requester;
use super::enums::UserErrorCode;
use super::input::uuid;
use crate::field_error::FieldError;

/// A reason for which a mutation was refused.
#[derive(SimpleObject)]
pub(crate) struct UserError {
    /// Kind of the refusal.
    code: UserErrorCode,
    /// The path of the input that it is about: `["input", "name"]`; null when it is about none.
    field: Option<Vec<String>>,
    /// Fault and remedy, in the caller's language.
    message: String,
}

impl UserError {
    fn new(member: Option<&str>, problem: UserProblem, language: Language) -> Self {
        Self {
            code: problem.code().into(),
            field: member.map(|member| vec!["input".to_owned(), member.to_owned()]),
            message: problem.message(language),
        }
    }
}

/// Collects all problems of one mutation's input while it is read.
#[derive(Default)]
pub(super) struct InputErrors {
    problems: Vec<(Option<&'static str>, UserProblem)>,
}

impl InputErrors {
    /// Adds a problem of one member of `input`.
    pub(super) fn add(&mut self, member: &'static str, problem: UserProblem) {
        self.problems.push((Some(member), problem));
    }

    /// Adds a problem that no single member has.
    pub(super) fn add_general(&mut self, problem: UserProblem) {
        self.problems.push((None, problem));
    }

    /// The payload of a mutation that changed nothing.
    pub(super) fn into_payload<P: From<Vec<UserError>>>(self, language: Language) -> P {
        let problems = self.problems.into_iter();
        let errors = problems.map(|(member, problem)| UserError::new(member, problem, language));
        P::from(errors.collect())
    }

    /// Reads `input.id`, the id of a key. A text that isn't shaped like an id identifies nothing.
    pub(super) fn key(&mut self, id: &ID) -> Option<KeyId> {
        let key = uuid(id).map(KeyId);
        if key.is_none() {
            self.add("id", UserProblem::NotFound);
        }
        key
    }

    /// Reads `input.id`, the id of a lookup. A text that isn't shaped like an id identifies nothing.
    pub(super) fn lookup(&mut self, id: &ID) -> Option<LookupId> {
        let lookup = uuid(id).map(LookupId);
        if lookup.is_none() {
            self.add("id", UserProblem::NotFound);
        }
        lookup
    }

    /// Reads `input.name`.
    pub(super) fn name(&mut self, name: &str) -> Option<KeyName> {
        let name = KeyName::parse(name).ok();
        if name.is_none() {
            self.add("name", UserProblem::Name);
        }
        name
    }

    /// Reads `input.graceHours`.
    pub(super) fn grace(&mut self, hours: i32) -> Option<Grace> {
        let hours = u32::try_from(hours).ok();
        let grace = hours.and_then(|hours| Grace::from_hours(hours).ok());
        if grace.is_none() {
            self.add(
                "graceHours",
                UserProblem::Grace {
                    most: MAX_GRACE_HOURS,
                },
            );
        }
        grace
    }
}

/// The payload of a result, or of an expected refusal. `subject` is the member of `input` that
/// names what is changed.
pub(super) fn payload<T, P>(
    context: &Context<'_>,
    subject: &'static str,
    result: Result<T, KeyError>,
) -> Result<P, FieldError>
where
    P: From<T> + From<Vec<UserError>>,
{
    let (member, problem) = match result {
        Ok(done) => return Ok(P::from(done)),
        Err(KeyError::NotFound) => (Some(subject), UserProblem::NotFound),
        Err(KeyError::Forbidden) => (None, UserProblem::Forbidden),
        Err(KeyError::Revoked) => (Some(subject), UserProblem::Revoked),
        Err(KeyError::AlreadyRotated) => (Some(subject), UserProblem::AlreadyRotated),
        Err(KeyError::TooManyKeys { most }) => (None, UserProblem::TooManyKeys { most }),
        Err(KeyError::TooManyNewKeys { retry_after }) => {
            let most = MOST_NEW_KEYS;
            (None, UserProblem::TooManyNewKeys { most, retry_after })
        }
        Err(error @ (KeyError::Cursor | KeyError::Store(_))) => return Err(error.into()),
    };
    Ok(refused(context, member, problem))
}

/// The payload of a result for a lookup, or of an expected refusal.
pub(super) fn lookup_payload<T, P>(
    context: &Context<'_>,
    result: Result<T, PersonLookupError>,
) -> Result<P, FieldError>
where
    P: From<T> + From<Vec<UserError>>,
{
    let problem = match result {
        Ok(done) => return Ok(P::from(done)),
        Err(PersonLookupError::NotFound) => UserProblem::NotFound,
        Err(PersonLookupError::Final) => UserProblem::LookupFinal,
        Err(PersonLookupError::NotFinal) => UserProblem::LookupNotFinal,
        Err(
            error @ (PersonLookupError::Cursor
            | PersonLookupError::Unreadable(_)
            | PersonLookupError::Store(_)),
        ) => return Err(error.into()),
    };
    Ok(refused(context, Some("id"), problem))
}

/// The payload of a mutation that was refused for one reason.
fn refused<P: From<Vec<UserError>>>(
    context: &Context<'_>,
    member: Option<&str>,
    problem: UserProblem,
) -> P {
    let error = UserError::new(member, problem, requester(context).language);
    P::from(vec![error])
}
