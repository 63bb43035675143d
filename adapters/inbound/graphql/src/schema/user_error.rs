//! `userErrors`: expected errors of mutations, returned as data.

use std::time::Duration;

use application::{BatchError, KeyError, PersonLookupError, WebhookError};
use async_graphql::{Context, ID, SimpleObject};
use domain::batches::BatchId;
use domain::keys::{Grace, KeyId, KeyName, MAX_GRACE_HOURS, MOST_NEW_KEYS};
use domain::lookups::LookupId;
use domain::webhooks::{DeliveryId, EndpointId, EventTypesError, MAX_ENDPOINTS};
use uuid::Uuid;
use web::Language;
use web::headers::retry_after_seconds;
use web::problem::{FieldProblem, UserErrorCode as Code, UserProblem};

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
    /// Seconds after which the same mutation may succeed; null when no time changes the refusal.
    retry_after: Option<i32>,
}

/// Reason of a user error: a problem specific to mutations, or a field problem shared with REST.
#[derive(Clone)]
pub(super) enum Refusal {
    User(UserProblem),
    Field(FieldProblem),
}

impl Refusal {
    fn code(&self) -> Code {
        match self {
            Self::User(problem) => problem.code(),
            Self::Field(_) => Code::Invalid,
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::User(problem) => problem.retry_after(),
            Self::Field(problem) => problem.retry_after(),
        }
    }

    fn message(&self, language: Language) -> String {
        match self {
            Self::User(problem) => problem.message(language),
            Self::Field(problem) => problem.message(language),
        }
    }
}

impl From<UserProblem> for Refusal {
    fn from(problem: UserProblem) -> Self {
        Self::User(problem)
    }
}

impl From<FieldProblem> for Refusal {
    fn from(problem: FieldProblem) -> Self {
        Self::Field(problem)
    }
}

impl UserError {
    fn new(member: Option<&str>, problem: &Refusal, language: Language) -> Self {
        let retry_after = problem.retry_after().map(retry_after_seconds);
        Self {
            retry_after: retry_after.and_then(|seconds| seconds.try_into().ok()),
            code: problem.code().into(),
            field: member.map(|member| vec!["input".to_owned(), member.to_owned()]),
            message: problem.message(language),
        }
    }
}

/// Collects the problems of a mutation's input while it is converted.
#[derive(Default)]
pub(super) struct InputErrors {
    problems: Vec<(Option<&'static str>, Refusal)>,
}

impl InputErrors {
    /// Adds a problem of one member of `input`.
    pub(super) fn add(&mut self, member: &'static str, problem: UserProblem) {
        self.problems.push((Some(member), problem.into()));
    }

    /// Adds a problem that concerns no single member.
    pub(super) fn add_general(&mut self, problem: UserProblem) {
        self.problems.push((None, problem.into()));
    }

    /// Builds the payload of a refused mutation.
    pub(super) fn into_payload<P: From<Vec<UserError>>>(self, language: Language) -> P {
        let problems = self.problems.into_iter();
        let errors = problems.map(|(member, problem)| UserError::new(member, &problem, language));
        P::from(errors.collect())
    }

    /// Parses `input.id` as the id of a key.
    pub(super) fn key(&mut self, id: &ID) -> Option<KeyId> {
        self.identity("id", id).map(KeyId)
    }

    /// Parses `input.id` as the id of a lookup.
    pub(super) fn lookup(&mut self, id: &ID) -> Option<LookupId> {
        self.identity("id", id).map(LookupId)
    }

    /// Parses `input.id` as the id of a batch.
    pub(super) fn batch(&mut self, id: &ID) -> Option<BatchId> {
        self.identity("id", id).map(BatchId)
    }

    /// Parses a member of `input` as the id of a webhook.
    pub(super) fn webhook(&mut self, member: &'static str, id: &ID) -> Option<EndpointId> {
        self.identity(member, id).map(EndpointId)
    }

    /// Parses `input.deliveryId`.
    pub(super) fn delivery(&mut self, id: &ID) -> Option<DeliveryId> {
        self.identity("deliveryId", id).map(DeliveryId)
    }

    /// Parses an id. A malformed one gets the same error as an unknown one.
    fn identity(&mut self, member: &'static str, id: &ID) -> Option<Uuid> {
        let read = uuid(id);
        if read.is_none() {
            self.add(member, UserProblem::NotFound);
        }
        read
    }

    /// Validates `input.name` as the name of a key.
    pub(super) fn name(&mut self, name: &str) -> Option<KeyName> {
        let name = KeyName::parse(name).ok();
        if name.is_none() {
            self.add("name", UserProblem::Name);
        }
        name
    }

    /// Validates `input.graceHours`.
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

/// Converts the result of a mutation of a key to its payload; expected errors become user errors. `subject`
/// is the member of `input` with the id of the changed resource.
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
    Ok(refused(context, member, &problem.into()))
}

/// Converts the result of a mutation of a lookup; expected errors become user errors.
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
    Ok(refused(context, Some("id"), &problem.into()))
}

/// Converts the result of a mutation of a batch; expected errors become user errors.
pub(super) fn batch_payload<T, P>(
    context: &Context<'_>,
    result: Result<T, BatchError>,
) -> Result<P, FieldError>
where
    P: From<T> + From<Vec<UserError>>,
{
    let problem = match result {
        Ok(done) => return Ok(P::from(done)),
        Err(BatchError::Unknown) => UserProblem::NotFound,
        Err(BatchError::Final) => UserProblem::BatchFinal,
        Err(BatchError::NotFinal) => UserProblem::BatchNotFinal,
        Err(error) => return Err(error.into()),
    };
    Ok(refused(context, Some("id"), &problem.into()))
}

/// Names of the members of `input` with the ids of a webhook and of the changed resource, which is the
/// webhook itself or a delivery.
pub(super) struct WebhookMembers {
    pub(super) webhook: &'static str,
    pub(super) subject: &'static str,
}

impl WebhookMembers {
    /// The webhook with the id `input.id` is itself the changed resource.
    pub(super) const ITSELF: Self = Self {
        webhook: "id",
        subject: "id",
    };
}

/// Converts the result of a mutation of a webhook; expected errors become user errors.
pub(super) fn webhook_payload<T, P>(
    context: &Context<'_>,
    members: &WebhookMembers,
    result: Result<T, WebhookError>,
) -> Result<P, FieldError>
where
    P: From<T> + From<Vec<UserError>>,
{
    let (member, problem) = match result {
        Ok(done) => return Ok(P::from(done)),
        Err(WebhookError::NotFound) => (Some(members.subject), UserProblem::NotFound.into()),
        Err(WebhookError::Url(error)) => (Some("url"), FieldProblem::from(error).into()),
        Err(WebhookError::Events(EventTypesError::None)) => {
            (Some("events"), FieldProblem::Empty.into())
        }
        Err(WebhookError::Events(EventTypesError::Test)) => {
            (Some("events"), UserProblem::TestEvent.into())
        }
        Err(WebhookError::TooMany) => {
            let most = MAX_ENDPOINTS;
            (None, UserProblem::TooManyWebhooks { most }.into())
        }
        Err(WebhookError::Disabled) => (Some(members.webhook), UserProblem::WebhookDisabled.into()),
        Err(WebhookError::Pending) => (Some(members.subject), UserProblem::DeliveryPending.into()),
        Err(error @ (WebhookError::Cursor | WebhookError::Store(_))) => return Err(error.into()),
    };
    Ok(refused(context, member, &problem))
}

/// The payload of a mutation with a single user error.
fn refused<P: From<Vec<UserError>>>(
    context: &Context<'_>,
    member: Option<&str>,
    problem: &Refusal,
) -> P {
    let error = UserError::new(member, problem, requester(context).language);
    P::from(vec![error])
}
