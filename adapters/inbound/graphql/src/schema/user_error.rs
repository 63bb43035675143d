//! Expected refusals of mutations, which are data.

use std::time::Duration;

use application::{BatchError, KeyError, PersonLookupError, WebhookError};
use async_graphql::{Context, ID, SimpleObject};
use domain::batch::BatchId;
use domain::key::{Grace, KeyId, KeyName, MAX_GRACE_HOURS, MOST_NEW_KEYS};
use domain::lookup::LookupId;
use domain::webhook::{DeliveryId, EndpointId, EventTypesError, MAX_ENDPOINTS};
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

/// Reason of a refusal: one of mutations alone, or one that REST has for its fields, too.
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

/// Collects all problems of one mutation's input while it is read.
#[derive(Default)]
pub(super) struct InputErrors {
    problems: Vec<(Option<&'static str>, Refusal)>,
}

impl InputErrors {
    /// Adds a problem of one member of `input`.
    pub(super) fn add(&mut self, member: &'static str, problem: UserProblem) {
        self.problems.push((Some(member), problem.into()));
    }

    /// Adds a problem that no single member has.
    pub(super) fn add_general(&mut self, problem: UserProblem) {
        self.problems.push((None, problem.into()));
    }

    /// The payload of a mutation that changed nothing.
    pub(super) fn into_payload<P: From<Vec<UserError>>>(self, language: Language) -> P {
        let problems = self.problems.into_iter();
        let errors = problems.map(|(member, problem)| UserError::new(member, &problem, language));
        P::from(errors.collect())
    }

    /// Reads `input.id`, the id of a key.
    pub(super) fn key(&mut self, id: &ID) -> Option<KeyId> {
        self.identity("id", id).map(KeyId)
    }

    /// Reads `input.id`, the id of a lookup.
    pub(super) fn lookup(&mut self, id: &ID) -> Option<LookupId> {
        self.identity("id", id).map(LookupId)
    }

    /// Reads `input.id`, the id of a batch.
    pub(super) fn batch(&mut self, id: &ID) -> Option<BatchId> {
        self.identity("id", id).map(BatchId)
    }

    /// Reads the id of a webhook.
    pub(super) fn webhook(&mut self, member: &'static str, id: &ID) -> Option<EndpointId> {
        self.identity(member, id).map(EndpointId)
    }

    /// Reads `input.deliveryId`.
    pub(super) fn delivery(&mut self, id: &ID) -> Option<DeliveryId> {
        self.identity("deliveryId", id).map(DeliveryId)
    }

    /// Reads an id. A text that isn't shaped like one identifies nothing.
    fn identity(&mut self, member: &'static str, id: &ID) -> Option<Uuid> {
        let read = uuid(id);
        if read.is_none() {
            self.add(member, UserProblem::NotFound);
        }
        read
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
    Ok(refused(context, member, &problem.into()))
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
    Ok(refused(context, Some("id"), &problem.into()))
}

/// The payload of a result for a batch, or of an expected refusal.
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

/// Members of `input` that name a webhook, and what is changed of it: itself, or a delivery to it.
pub(super) struct WebhookMembers {
    pub(super) webhook: &'static str,
    pub(super) subject: &'static str,
}

impl WebhookMembers {
    /// Those of a change of the webhook `input.id`.
    pub(super) const ITSELF: Self = Self {
        webhook: "id",
        subject: "id",
    };
}

/// The payload of a result for a webhook, or of an expected refusal.
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

/// The payload of a mutation that was refused for one reason.
fn refused<P: From<Vec<UserError>>>(
    context: &Context<'_>,
    member: Option<&str>,
    problem: &Refusal,
) -> P {
    let error = UserError::new(member, problem, requester(context).language);
    P::from(vec![error])
}
