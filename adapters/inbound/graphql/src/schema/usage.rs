//! Usage reports.

use application::RequestedScope;
use async_graphql::{Context, Enum, ID, InputObject, Object};
use chrono::Utc;
use domain::usage::{self, Period, PeriodError, RequestCriteria};
use web::problem::GraphqlProblem;
use web::views::requests::{Endpoint, Outcome};
use web::views::scalars::DateTime;
use web::views::usage::{Granularity, UsageReport};

use super::arguments::key_id;
use super::context::{ports, requester};
use crate::field_error::FieldError;

/// Breakdown of a usage report into series.
#[derive(Enum, Clone, Copy, Debug, PartialEq, Eq)]
#[graphql(remote = "domain::usage::Breakdown")]
pub(crate) enum Breakdown {
    /// Nothing: one series of everything.
    Total,
    /// One series a key; the largest 20, and one of all others.
    Key,
    /// One series an endpoint.
    Endpoint,
    /// One series an outcome.
    Outcome,
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
    fn read(self, now: chrono::DateTime<Utc>) -> Result<Period, FieldError> {
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

/// Arguments of `usage`, except the account.
pub(super) struct UsageArguments {
    pub(super) range: UsageRange,
    pub(super) breakdown: Breakdown,
    pub(super) key_id: Option<ID>,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) outcome: Option<Outcome>,
}

#[derive(Default)]
pub(crate) struct UsageQuery;

#[Object]
impl UsageQuery {
    /// Use of the viewer's keys over time.
    async fn usage(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "When, and in which slots.")] range: UsageRange,
        #[graphql(desc = "What is told apart.", default_with = "Breakdown::Outcome")]
        breakdown: Breakdown,
        #[graphql(desc = "Of this key alone.")] key_id: Option<ID>,
        #[graphql(desc = "Of requests to this endpoint alone.")] endpoint: Option<Endpoint>,
        #[graphql(desc = "Of requests with this outcome alone.")] outcome: Option<Outcome>,
    ) -> Result<UsageReport, FieldError> {
        let arguments = UsageArguments {
            range,
            breakdown,
            key_id,
            endpoint,
            outcome,
        };
        report(context, RequestedScope::Own, arguments).await
    }
}

/// Reads the report on a scope.
pub(super) async fn report(
    context: &Context<'_>,
    scope: RequestedScope,
    arguments: UsageArguments,
) -> Result<UsageReport, FieldError> {
    let ports = ports(context);
    let query = usage::UsageQuery {
        period: arguments.range.read(ports.participants.clock.now())?,
        breakdown: arguments.breakdown.into(),
        key: key_id("keyId", arguments.key_id.as_ref())?,
        criteria: RequestCriteria {
            endpoint: arguments.endpoint.map(Endpoint::into),
            outcome: arguments.outcome.map(Outcome::into),
        },
    };
    let caller = &requester(context).caller;
    let report = ports.insights.usage(caller, scope, &query).await?;
    Ok(UsageReport::new(query.period, report))
}
