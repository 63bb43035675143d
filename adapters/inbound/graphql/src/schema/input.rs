//! Input objects of queries, and their conversion to the application's types.

use application::{BatchQuery, PersonLookupQuery};
use async_graphql::{ID, InputObject};
use chrono::Utc;
use domain::batches::BatchId;
use domain::keys::{KeyId, KeyQuery, KeySort};
use domain::page::PageRequest;
use domain::people::customer::CustomerId;
use domain::request::{RequestId, RequestQuery};
use domain::usage::{Period, PeriodError, RequestCriteria};
use uuid::Uuid;
use web::problem::GraphqlProblem;

use super::enums::{
    BatchState, Endpoint, Environment, Granularity, KeySortField, KeyStatus, LookupState,
    OrderDirection, Outcome,
};
use super::scalars::DateTime;
use crate::field_error::FieldError;

/// Filter of keys; each condition narrows the list.
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
    fn read(self) -> Result<domain::keys::KeyFilter, FieldError> {
        let statuses = self.statuses.unwrap_or_default();
        Ok(domain::keys::KeyFilter {
            statuses: distinct(statuses.into_iter().map(KeyStatus::into)),
            environment: self.environment.map(Environment::into),
            text: search_text("filter.text", self.text.as_deref())?,
        })
    }
}

/// Removes duplicates, keeping the first of each.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut kept, value| {
        if !kept.contains(&value) {
            kept.push(value);
        }
        kept
    })
}

/// Order of a list of keys.
#[derive(InputObject)]
#[graphql(name = "KeyOrder")]
pub(crate) struct KeySortInput {
    /// By what.
    field: KeySortField,
    /// From which end.
    direction: OrderDirection,
}

/// Converts the arguments of a list of keys. The default order is newest first.
pub(super) fn key_query(
    page: PageRequest,
    filter: Option<KeyFilter>,
    sort: Option<KeySortInput>,
) -> Result<KeyQuery, FieldError> {
    let sort = sort.unwrap_or(KeySortInput {
        field: KeySortField::CreatedAt,
        direction: OrderDirection::Desc,
    });
    Ok(KeyQuery {
        filter: filter.unwrap_or_default().read()?,
        order: KeySort::from(sort.field),
        direction: sort.direction.into(),
        page,
    })
}

/// Filter of requests; each condition narrows the list.
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

/// Converts the arguments of a list of requests.
pub(super) fn request_query(
    page: PageRequest,
    filter: Option<RequestFilter>,
) -> Result<RequestQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let request_id = filter.request_id.as_deref().map(|text| {
        RequestId::parse(text).ok_or(GraphqlProblem::ArgumentRequestId {
            argument: "filter.requestId",
        })
    });
    let (from, to) = span("filter.from", filter.from, filter.to)?;
    Ok(RequestQuery {
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        criteria: criteria(filter.endpoint, filter.outcome),
        request_id: request_id.transpose()?,
        from,
        to,
        page,
    })
}

/// Filter of stored lookups; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct LookupFilter {
    /// In one of these states; any when empty or not given.
    states: Option<Vec<LookupState>>,
    /// Of this environment.
    environment: Option<Environment>,
    /// Of this key, and of those that it replaced or was replaced by.
    key_id: Option<ID>,
    /// Created at or after this instant.
    created_from: Option<DateTime>,
    /// Rows of this batch.
    batch_id: Option<ID>,
}

/// Converts the arguments of a list of lookups.
pub(super) fn lookup_query(
    page: PageRequest,
    filter: Option<LookupFilter>,
) -> Result<PersonLookupQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let states = filter.states.unwrap_or_default();
    Ok(PersonLookupQuery {
        environment: filter.environment.map(Environment::into),
        states: distinct(states.into_iter().map(LookupState::into)),
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        created_from: filter.created_from.map(|instant| instant.0),
        batch: narrowed("filter.batchId", filter.batch_id.as_ref())?.map(BatchId),
        page,
    })
}

/// Filter of batches; each condition narrows the list.
#[derive(InputObject, Default)]
pub(crate) struct BatchFilter {
    /// In one of these states; any when empty or not given.
    states: Option<Vec<BatchState>>,
    /// Of this environment.
    environment: Option<Environment>,
    /// Of this key, and of those that it replaced or was replaced by.
    key_id: Option<ID>,
}

/// Converts the arguments of a list of batches.
pub(super) fn batch_query(
    page: PageRequest,
    filter: Option<BatchFilter>,
) -> Result<BatchQuery, FieldError> {
    let filter = filter.unwrap_or_default();
    let states = filter.states.unwrap_or_default();
    Ok(BatchQuery {
        environment: filter.environment.map(Environment::into),
        states: distinct(states.into_iter().map(BatchState::into)),
        key: key_id("filter.keyId", filter.key_id.as_ref())?,
        page,
    })
}

/// Filter of the audit log; each condition narrows the list.
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
    pub(super) fn read(self) -> Result<domain::audit::AuditFilter, FieldError> {
        let (from, to) = span("filter.from", self.from, self.to)?;
        Ok(domain::audit::AuditFilter {
            customer: customer_id("filter.accountId", self.account_id.as_ref())?,
            key: key_id("filter.keyId", self.key_id.as_ref())?,
            from,
            to,
        })
    }
}

/// Period of a usage report, and its slots: either `newest`, or `from` and `to`.
#[derive(InputObject)]
pub(crate) struct UsageRange {
    /// The length of the slots.
    granularity: Granularity,
    /// Number of slots, the present one being the last.
    newest: Option<i32>,
    /// The slots from the one that holds this instant.
    from: Option<DateTime>,
    /// The slots to the one that holds the moment before this instant.
    to: Option<DateTime>,
}

impl UsageRange {
    pub(super) fn read(self, now: chrono::DateTime<Utc>) -> Result<Period, FieldError> {
        let granularity = self.granularity.into();
        let (argument, period) = match (self.newest, self.from, self.to) {
            (Some(newest), None, None) => {
                let count = u32::try_from(newest).unwrap_or(0);
                ("range.newest", Period::newest(count, granularity, now))
            }
            (None, Some(from), Some(to)) => ("range", Period::new(from.0, to.0, granularity)),
            _ => {
                let argument = "range";
                return Err(GraphqlProblem::ArgumentRangeEnds { argument }.into());
            }
        };
        period.map_err(|error| match error {
            PeriodError::Backwards => GraphqlProblem::ArgumentEmptyPeriod { argument }.into(),
            PeriodError::TooLong(granularity) => {
                let slots = granularity.most_slots();
                GraphqlProblem::ArgumentPeriodTooLong { argument, slots }.into()
            }
        })
    }
}

/// Parses an id; `None` when it isn't a UUID.
pub(super) fn uuid(id: &ID) -> Option<Uuid> {
    Uuid::try_parse(id.as_str()).ok()
}

/// Parses an optional argument that filters by key.
pub(super) fn key_id(argument: &'static str, id: Option<&ID>) -> Result<Option<KeyId>, FieldError> {
    Ok(narrowed(argument, id)?.map(KeyId))
}

/// Parses an optional argument that filters by account.
pub(super) fn customer_id(
    argument: &'static str,
    id: Option<&ID>,
) -> Result<Option<CustomerId>, FieldError> {
    Ok(narrowed(argument, id)?.map(CustomerId))
}

fn narrowed(argument: &'static str, id: Option<&ID>) -> Result<Option<Uuid>, FieldError> {
    let malformed = GraphqlProblem::ArgumentMalformedId { argument };
    Ok(id.map(|id| uuid(id).ok_or(malformed)).transpose()?)
}

/// Validates a search text; `None` when it is blank.
pub(super) fn search_text(
    argument: &'static str,
    text: Option<&str>,
) -> Result<Option<String>, FieldError> {
    let text = text.map(web::search_text).transpose();
    let text = text.map_err(|_| GraphqlProblem::ArgumentMalformedText { argument })?;
    Ok(text.flatten())
}

pub(super) fn criteria(endpoint: Option<Endpoint>, outcome: Option<Outcome>) -> RequestCriteria {
    RequestCriteria {
        endpoint: endpoint.map(Endpoint::into),
        outcome: outcome.map(Outcome::into),
    }
}

type Instant = chrono::DateTime<Utc>;

/// Converts the two optional bounds of a period.
fn span(
    argument: &'static str,
    from: Option<DateTime>,
    to: Option<DateTime>,
) -> Result<(Option<Instant>, Option<Instant>), FieldError> {
    let (from, to) = (from.map(|end| end.0), to.map(|end| end.0));
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(GraphqlProblem::ArgumentBackwards { argument }.into());
    }
    Ok((from, to))
}
