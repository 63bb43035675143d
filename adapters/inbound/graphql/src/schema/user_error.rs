//! Expected refusals of mutations, which are data.

use async_graphql::{ID, MaybeUndefined, SimpleObject};
use domain::key::{Grace, KeyId, KeyName};
use domain::limits::{LimitsChange, LimitsError, Plan};
use ports::inbound::KeyError;
use web::Language;

use super::enums::UserErrorCode;
use super::input::{SetLimitsInput, uuid};
use crate::failure::Failure;

/// Why a mutation was refused, or one reason of several.
#[derive(SimpleObject)]
pub(crate) struct UserError {
    /// Which kind of refusal.
    code: UserErrorCode,
    /// The path of the input that it is about: `["input", "name"]`; null when it is about none.
    field: Option<Vec<String>>,
    /// What was wrong and what to do, in the caller's language.
    message: String,
}

/// What can be wrong with a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserProblem {
    Name,
    Grace,
    PerMinute,
    MonthlyQuota,
    NoLimit,
    PlanAndLimits,
    NotFound,
    Forbidden,
    Revoked,
    AlreadyRotated,
    TooManyKeys { most: u64 },
}

impl UserProblem {
    fn code(self) -> UserErrorCode {
        match self {
            Self::Name
            | Self::Grace
            | Self::PerMinute
            | Self::MonthlyQuota
            | Self::NoLimit
            | Self::PlanAndLimits => UserErrorCode::Invalid,
            Self::NotFound => UserErrorCode::NotFound,
            Self::Forbidden => UserErrorCode::Forbidden,
            Self::Revoked => UserErrorCode::Revoked,
            Self::AlreadyRotated => UserErrorCode::AlreadyRotated,
            Self::TooManyKeys { .. } => UserErrorCode::TooManyKeys,
        }
    }
}

/// All that is wrong with one mutation.
#[derive(Default)]
pub(super) struct Refusals {
    problems: Vec<(Option<&'static str>, UserProblem)>,
}

impl Refusals {
    /// Adds a problem of one member of `input`.
    pub(super) fn add(&mut self, member: &'static str, problem: UserProblem) {
        self.problems.push((Some(member), problem));
    }

    /// The payload of a mutation that did nothing.
    pub(super) fn answer<P: From<Vec<UserError>>>(self, language: Language) -> P {
        let messages = crate::messages::of(language);
        let error = |(member, problem): (Option<&str>, UserProblem)| UserError {
            code: problem.code(),
            field: member.map(|member| vec!["input".to_owned(), member.to_owned()]),
            message: messages.user_problem(problem),
        };
        P::from(self.problems.into_iter().map(error).collect())
    }

    /// Reads `input.id`, the id of a key. Whatever has the shape of no id is the id of nothing.
    pub(super) fn key(&mut self, id: &ID) -> Option<KeyId> {
        let key = uuid(id).map(KeyId);
        if key.is_none() {
            self.add("id", UserProblem::NotFound);
        }
        key
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
            self.add("graceHours", UserProblem::Grace);
        }
        grace
    }

    /// Reads the limits of `input`: single ones, each in its range, or a plan's.
    pub(super) fn limits(&mut self, input: &SetLimitsInput) -> Option<LimitsChange> {
        let quota = match &input.monthly_quota {
            MaybeUndefined::Undefined => None,
            MaybeUndefined::Null => Some(None),
            MaybeUndefined::Value(quota) => Some(Some(quota.0)),
        };
        let single = input.per_minute.is_some() || quota.is_some();
        match input.plan {
            Some(_) if single => {
                self.add("plan", UserProblem::PlanAndLimits);
                return None;
            }
            Some(plan) => return Some(LimitsChange::from(Plan::from(plan).limits())),
            None if !single => {
                self.problems.push((None, UserProblem::NoLimit));
                return None;
            }
            None => {}
        }
        // Zero is out of range as much as what is below it.
        let per_minute = input
            .per_minute
            .map(|limit| u32::try_from(limit).unwrap_or(0));
        let minute = LimitsChange::new(per_minute, None);
        let month = LimitsChange::new(None, quota);
        for error in [minute.err(), month.err()].into_iter().flatten() {
            match error {
                LimitsError::PerMinute => self.add("perMinute", UserProblem::PerMinute),
                LimitsError::MonthlyQuota => self.add("monthlyQuota", UserProblem::MonthlyQuota),
            }
        }
        LimitsChange::new(per_minute, quota).ok()
    }
}

/// An expected refusal as data, anything else as a failure. `subject` is the member of `input`
/// that names what the mutation is about.
pub(super) fn expected(error: KeyError, subject: &'static str) -> Result<Refusals, Failure> {
    let (member, problem) = match error {
        KeyError::NotFound => (Some(subject), UserProblem::NotFound),
        KeyError::Forbidden => (None, UserProblem::Forbidden),
        KeyError::Revoked => (Some(subject), UserProblem::Revoked),
        KeyError::AlreadyRotated => (Some(subject), UserProblem::AlreadyRotated),
        KeyError::TooManyKeys { most } => (None, UserProblem::TooManyKeys { most }),
        error @ (KeyError::Cursor | KeyError::Store(_)) => return Err(error.into()),
    };
    Ok(Refusals {
        problems: vec![(member, problem)],
    })
}
