//! `userErrors`: expected errors of mutations, returned as data.

use std::time::Duration;

use application::{BatchError, KeyError, OwnAccountFailure, PersonLookupError, WebhookError};
use async_graphql::{Context, ID, SimpleObject};
use domain::batches::BatchId;
use domain::keys::{Grace, KeyId, KeyName, MAX_GRACE_HOURS, MOST_NEW_KEYS};
use domain::lookups::LookupId;
use domain::own_accounts::OwnAccountId;
use domain::people::customer::CustomerId;
use domain::webhooks::{DeliveryId, EndpointId, EventTypesError, MAX_ENDPOINTS};
use uuid::Uuid;
use web::Language;
use web::headers::retry_after_seconds;
use web::problem::{FieldProblem, UserErrorCode, UserProblem};

use super::arguments::uuid;
use super::context::requester;
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
    fn code(&self) -> UserErrorCode {
        match self {
            Self::User(problem) => problem.code(),
            Self::Field(_) => UserErrorCode::Invalid,
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
    fn new((member, problem): (Option<&str>, Refusal), language: Language) -> Self {
        let retry_after = problem.retry_after().map(retry_after_seconds);
        Self {
            retry_after: retry_after.and_then(|seconds| seconds.try_into().ok()),
            code: problem.code(),
            field: member.map(|member| vec!["input".to_owned(), member.to_owned()]),
            message: problem.message(language),
        }
    }
}

/// Type of a nullable field. With `Result<Option<T>, _>` async-graphql would omit a failed field from the
/// response instead of returning null (compare async-graphql's issues 531 and 1449).
pub(super) type Nullable<T> = Option<Result<T, FieldError>>;

/// Failure of a mutation.
pub(super) enum MutationError {
    /// Refusals, each with the member of `input` that it is about.
    Refused(Vec<(Option<&'static str>, Refusal)>),
    /// An unexpected failure.
    Failed(FieldError),
}

impl MutationError {
    fn refused(member: Option<&'static str>, problem: impl Into<Refusal>) -> Self {
        Self::Refused(vec![(member, problem.into())])
    }
}

/// Declares the payload of a mutation: its results, which are null when it was refused.
macro_rules! payload {
    ($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $member_doc:literal])+ $member:ident: $type:ty,)+
    }) => {
        $(#[doc = $doc])+
        #[derive(async_graphql::SimpleObject, Default)]
        pub(crate) struct $name {
            $($(#[doc = $member_doc])+ $member: Option<$type>,)+
            /// Reasons for which nothing was changed; empty when it was.
            user_errors: Vec<$crate::schema::user_error::UserError>,
        }

        impl $name {
            /// The payload of a mutation that was carried out.
            pub(in crate::schema) fn of($($member: $type),+) -> Self {
                Self {
                    $($member: Some($member),)+
                    user_errors: Vec::new(),
                }
            }
        }

        impl From<Vec<$crate::schema::user_error::UserError>> for $name {
            fn from(user_errors: Vec<$crate::schema::user_error::UserError>) -> Self {
                Self {
                    user_errors,
                    ..Self::default()
                }
            }
        }
    };
}
pub(super) use payload;

/// Runs a mutation, and returns its refusals as data.
pub(super) async fn respond<P: From<Vec<UserError>>>(
    context: &Context<'_>,
    mutation: impl Future<Output = Result<P, MutationError>>,
) -> Nullable<P> {
    let language = requester(context).language;
    Some(match mutation.await {
        Ok(done) => Ok(done),
        Err(MutationError::Refused(refusals)) => {
            let errors = refusals.into_iter();
            let errors = errors.map(|refusal| UserError::new(refusal, language));
            Ok(P::from(errors.collect()))
        }
        Err(MutationError::Failed(error)) => Err(error),
    })
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

    /// Returns the value, or all recorded problems. When `value` is `None`, one must have been recorded.
    pub(super) fn end<T>(self, value: Option<T>) -> Result<T, MutationError> {
        value.ok_or(MutationError::Refused(self.problems))
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

    /// Parses `input.id` as the id of an own account.
    pub(super) fn own_account(&mut self, id: &ID) -> Option<OwnAccountId> {
        self.identity("id", id).map(OwnAccountId)
    }

    /// Parses a member of `input` as the id of a webhook.
    pub(super) fn webhook(&mut self, member: &'static str, id: &ID) -> Option<EndpointId> {
        self.identity(member, id).map(EndpointId)
    }

    /// Parses `input.accountId`.
    pub(super) fn account(&mut self, id: &ID) -> Option<CustomerId> {
        self.identity("accountId", id).map(CustomerId)
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

impl MutationError {
    /// The failure of a mutation of keys or plans; `subject` is the member of `input` with the id of the
    /// changed resource.
    pub(super) fn of_key(subject: &'static str, error: KeyError) -> Self {
        let (member, problem) = match error {
            KeyError::NotFound => (Some(subject), UserProblem::NotFound),
            KeyError::Forbidden => (None, UserProblem::Forbidden),
            KeyError::Revoked => (Some(subject), UserProblem::Revoked),
            KeyError::AlreadyRotated => (Some(subject), UserProblem::AlreadyRotated),
            KeyError::TooManyKeys { most } => (None, UserProblem::TooManyKeys { most }),
            KeyError::TooManyNewKeys { retry_after } => {
                let most = MOST_NEW_KEYS;
                (None, UserProblem::TooManyNewKeys { most, retry_after })
            }
            KeyError::Cursor | KeyError::Store(_) => return Self::Failed(error.into()),
        };
        Self::refused(member, problem)
    }

    /// The failure of a mutation of webhooks; `webhook` and `subject` are the members of `input` with the
    /// ids of the webhook and of the changed resource, which is the webhook itself or a delivery.
    pub(super) fn of_webhook(
        (webhook, subject): (&'static str, &'static str),
        error: WebhookError,
    ) -> Self {
        match error {
            WebhookError::NotFound => Self::refused(Some(subject), UserProblem::NotFound),
            WebhookError::Url(error) => Self::refused(Some("url"), FieldProblem::from(error)),
            WebhookError::Events(EventTypesError::None) => {
                Self::refused(Some("events"), FieldProblem::Empty)
            }
            WebhookError::Events(EventTypesError::Test) => {
                Self::refused(Some("events"), UserProblem::TestEvent)
            }
            WebhookError::TooMany => {
                let most = MAX_ENDPOINTS;
                Self::refused(None, UserProblem::TooManyWebhooks { most })
            }
            WebhookError::Disabled => Self::refused(Some(webhook), UserProblem::WebhookDisabled),
            WebhookError::Pending => Self::refused(Some(subject), UserProblem::DeliveryPending),
            WebhookError::Cursor | WebhookError::Store(_) => Self::Failed(error.into()),
        }
    }
}

impl From<KeyError> for MutationError {
    fn from(error: KeyError) -> Self {
        Self::of_key("id", error)
    }
}

impl From<WebhookError> for MutationError {
    fn from(error: WebhookError) -> Self {
        Self::of_webhook(("id", "id"), error)
    }
}

impl From<OwnAccountFailure> for MutationError {
    fn from(error: OwnAccountFailure) -> Self {
        match FieldProblem::of_own_account(error) {
            Ok((member, problem)) => Self::refused(Some(member), problem),
            Err(OwnAccountFailure::Store(cause)) => Self::Failed(FieldError::Unexpected(cause)),
            Err(_) => Self::refused(Some("id"), UserProblem::NotFound),
        }
    }
}

impl From<PersonLookupError> for MutationError {
    fn from(error: PersonLookupError) -> Self {
        let problem = match error {
            PersonLookupError::NotFound => UserProblem::NotFound,
            PersonLookupError::Final => UserProblem::LookupFinal,
            PersonLookupError::NotFinal => UserProblem::LookupNotFinal,
            PersonLookupError::Cursor
            | PersonLookupError::Unreadable(_)
            | PersonLookupError::Store(_) => return Self::Failed(error.into()),
        };
        Self::refused(Some("id"), problem)
    }
}

impl From<BatchError> for MutationError {
    fn from(error: BatchError) -> Self {
        let problem = match error {
            BatchError::Unknown => UserProblem::NotFound,
            BatchError::Final => UserProblem::BatchFinal,
            BatchError::NotFinal => UserProblem::BatchNotFinal,
            error => return Self::Failed(error.into()),
        };
        Self::refused(Some("id"), problem)
    }
}
