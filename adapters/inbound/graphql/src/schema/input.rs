//! Input objects, and what becomes of them.

use async_graphql::{ID, InputObject, MaybeUndefined};
use chrono::Utc;
use domain::customer::CustomerId;
use domain::key::{KeyId, KeyQuery, KeySort};
use domain::page::PageRequest;
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Period, RequestCriteria};
use uuid::Uuid;

use super::enums::{
    Endpoint, Environment, ExistingKeys, Granularity, KeyOrderField, KeyStatus, OrderDirection,
    Outcome, Plan,
};
use super::scalars::{Count, DateTime};
use crate::failure::{Failure, Problem};

/// Longest text that lists are searched for; a key's name has at most 100 characters.
pub(crate) const MAX_SEARCH_CHARS: usize = 200;

/// Which keys are listed; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct KeyFilter {
    /// In one of these states; any when empty or not given.
    statuses: Option<Vec<KeyStatus>>,
    /// Of this environment.
    environment: Option<Environment>,
    /// With this text in the name or at the beginning of the prefix, upper and lower case of A to Z
    /// alone being alike; for admins, in the owner's subject too. At most 200 characters.
    text: Option<String>,
}

impl KeyFilter {
    fn read(self) -> Result<domain::key::KeyFilter, Failure> {
        let mut statuses: Vec<domain::key::KeyStatus> = Vec::new();
        for status in self.statuses.unwrap_or_default() {
            let status = status.into();
            if !statuses.contains(&status) {
                statuses.push(status);
            }
        }
        Ok(domain::key::KeyFilter {
            statuses,
            environment: self.environment.map(Environment::into),
            text: search_text("filter.text", self.text)?,
        })
    }
}

/// How a list of keys is ordered.
#[derive(InputObject)]
pub(crate) struct KeyOrder {
    /// By what.
    field: KeyOrderField,
    /// From which end.
    direction: OrderDirection,
}

/// Reads the arguments of a list of keys; the newest come first unless told otherwise.
pub(super) fn key_listing(
    page: PageRequest,
    filter: Option<KeyFilter>,
    order: Option<KeyOrder>,
) -> Result<KeyQuery, Failure> {
    let newest = KeyOrder {
        field: KeyOrderField::CreatedAt,
        direction: OrderDirection::Desc,
    };
    let order = order.unwrap_or(newest);
    Ok(KeyQuery {
        filter: filter.unwrap_or_default().read()?,
        order: KeySort::from(order.field),
        direction: order.direction.into(),
        page,
    })
}

/// Which requests are listed; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct RequestFilter {
    /// Of this key.
    key_id: Option<ID>,
    /// Of this endpoint.
    endpoint: Option<Endpoint>,
    /// With this outcome. Requests that a limit refused (`RATE_LIMITED`, `QUOTA_EXCEEDED`) are
    /// counted in `usage` and never listed.
    outcome: Option<Outcome>,
    /// With this request id.
    request_id: Option<String>,
    /// At or after this instant.
    from: Option<DateTime>,
    /// Before this instant.
    to: Option<DateTime>,
}

/// Reads the arguments of a list of requests.
pub(super) fn request_listing(
    page: PageRequest,
    filter: Option<RequestFilter>,
) -> Result<RequestQuery, Failure> {
    let filter = filter.unwrap_or_default();
    let request_id = filter.request_id.as_deref().map(|text| {
        let malformed = || Failure::invalid("filter.requestId", Problem::RequestId);
        RequestId::parse(text).ok_or_else(malformed)
    });
    let (from, to) = span("filter.from", filter.from, filter.to)?;
    Ok(RequestQuery {
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        criteria: only(filter.endpoint, filter.outcome),
        request_id: request_id.transpose()?,
        from,
        to,
        page,
    })
}

/// What the audit log is searched for; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct AuditFilter {
    /// Entries about this account.
    account_id: Option<ID>,
    /// Entries about this key.
    key_id: Option<ID>,
    /// At or after this instant.
    from: Option<DateTime>,
    /// Before this instant.
    to: Option<DateTime>,
}

impl AuditFilter {
    pub(super) fn read(self) -> Result<domain::audit::AuditFilter, Failure> {
        let (from, to) = span("filter.from", self.from, self.to)?;
        Ok(domain::audit::AuditFilter {
            customer: customer_id("filter.accountId", self.account_id.as_ref())?,
            key: key_id("filter.keyId", self.key_id.as_ref())?,
            from,
            to,
        })
    }
}

/// When use is wanted, and in which slots. Either `newest`, or `from` and `to`.
#[derive(InputObject)]
pub(crate) struct UsageRange {
    /// The length of the slots.
    granularity: Granularity,
    /// That many slots, the one of now being the last.
    newest: Option<i32>,
    /// The slots from the one that holds this instant.
    from: Option<DateTime>,
    /// The slots to the one that holds the moment before this instant.
    to: Option<DateTime>,
}

impl UsageRange {
    pub(super) fn read(self, now: chrono::DateTime<Utc>) -> Result<Period, Failure> {
        let granularity = self.granularity.into();
        let (argument, period) = match (self.newest, self.from, self.to) {
            (Some(newest), None, None) => {
                let count = u32::try_from(newest).unwrap_or(0);
                ("range.newest", Period::newest(count, granularity, now))
            }
            (None, Some(from), Some(to)) => ("range", Period::new(from.0, to.0, granularity)),
            _ => return Err(Failure::invalid("range", Problem::RangeEnds)),
        };
        period.map_err(|error| Failure::invalid(argument, Problem::Period(error)))
    }
}

/// A key that is to be made.
#[derive(InputObject)]
pub(crate) struct CreateKeyInput {
    /// Its label: 1 to 100 characters.
    pub(super) name: String,
    /// Which bank it asks.
    #[graphql(default_with = "Environment::Live")]
    pub(super) environment: Environment,
}

/// A key that is to be called otherwise.
#[derive(InputObject)]
pub(crate) struct RenameKeyInput {
    /// The key.
    pub(super) id: ID,
    /// Its new label: 1 to 100 characters.
    pub(super) name: String,
}

/// A key that is to be revoked.
#[derive(InputObject)]
pub(crate) struct RevokeKeyInput {
    /// The key.
    pub(super) id: ID,
}

/// A key that is to be given a successor.
#[derive(InputObject)]
pub(crate) struct RotateKeyInput {
    /// The key.
    pub(super) id: ID,
    /// For how many hours it goes on working beside its successor: 0 to 168.
    #[graphql(default = 24)]
    pub(super) grace_hours: i32,
}

/// New limits of a key: either single ones, or a plan's.
#[derive(InputObject)]
pub(crate) struct SetLimitsInput {
    /// The key.
    pub(super) id: ID,
    /// Requests in any 60 seconds, 1 to 1,000,000; what isn't given stays as it is.
    pub(super) per_minute: Option<i32>,
    /// Requests in a UTC calendar month, 1 to 10¹²; null lifts the cap, what isn't given stays as
    /// it is.
    pub(super) monthly_quota: MaybeUndefined<Count>,
    /// That plan's limits; not together with the others.
    pub(super) plan: Option<Plan>,
}

/// A new plan of an account.
#[derive(InputObject)]
pub(crate) struct SetPlanInput {
    /// The account.
    pub(super) account_id: ID,
    /// The plan.
    pub(super) plan: Plan,
    /// Whether the keys that it has take the plan's limits.
    #[graphql(default_with = "ExistingKeys::Keep")]
    pub(super) existing_keys: ExistingKeys,
}

/// The id in an argument; `None` when it has the shape of none.
pub(super) fn uuid(id: &ID) -> Option<Uuid> {
    Uuid::try_parse(id.as_str()).ok()
}

/// Reads an argument that narrows to one key.
pub(super) fn key_id(argument: &'static str, id: Option<&ID>) -> Result<Option<KeyId>, Failure> {
    Ok(narrowed(argument, id)?.map(KeyId))
}

/// Reads an argument that narrows to one account.
pub(super) fn customer_id(
    argument: &'static str,
    id: Option<&ID>,
) -> Result<Option<CustomerId>, Failure> {
    Ok(narrowed(argument, id)?.map(CustomerId))
}

fn narrowed(argument: &'static str, id: Option<&ID>) -> Result<Option<Uuid>, Failure> {
    let read = |id| uuid(id).ok_or_else(|| Failure::invalid(argument, Problem::Id));
    id.map(read).transpose()
}

/// Reads a text that a list is searched for; a blank one is none.
pub(super) fn search_text(
    argument: &'static str,
    text: Option<String>,
) -> Result<Option<String>, Failure> {
    let text = text.map(|text| text.trim().to_owned());
    let text = text.filter(|text| !text.is_empty());
    match text {
        Some(text) if text.chars().count() > MAX_SEARCH_CHARS => {
            Err(Failure::invalid(argument, Problem::SearchText))
        }
        text => Ok(text),
    }
}

pub(super) fn only(endpoint: Option<Endpoint>, outcome: Option<Outcome>) -> RequestCriteria {
    RequestCriteria {
        endpoint: endpoint.map(Endpoint::into),
        outcome: outcome.map(Outcome::into),
    }
}

type Instant = chrono::DateTime<Utc>;

/// Reads the two ends of a span of time, either of which may be open.
fn span(
    argument: &'static str,
    from: Option<DateTime>,
    to: Option<DateTime>,
) -> Result<(Option<Instant>, Option<Instant>), Failure> {
    let (from, to) = (from.map(|end| end.0), to.map(|end| end.0));
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(Failure::invalid(argument, Problem::Backwards));
    }
    Ok((from, to))
}
