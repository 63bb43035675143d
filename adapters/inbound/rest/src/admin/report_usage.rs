//! Handler of `GET /admin/usage`.

use application::RequestedScope;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::outcome::Endpoint;
use domain::people::customer::CustomerId;
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use serde::Deserialize;
use utoipa::IntoParams;
use validator::{Validate, ValidationError};
use web::Problem;
use web::problem::{FieldFault, FieldProblem};
use web::views::requests::Outcome;
use web::views::usage::UsageReport;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::people::input::{Choice, Id, Input, Instant, Text, Word, rule_error};
use crate::people::request::PersonRequest;

/// Default number of slots.
const USUAL_SLOTS: u32 = 30;

type BreakdownChoice = Choice<Breakdown>;
type EndpointWord = Word<Endpoint>;
type OutcomeWord = Word<Outcome>;
type GranularityChoice = Choice<Granularity>;

/// Parameters that name a customer or a key.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Scope {
    /// Of this account alone.
    #[param(inline)]
    account_id: Option<Id>,
    /// Of this key alone.
    #[param(inline)]
    key_id: Option<Id>,
}

/// Parameters of the series.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
struct Series {
    /// Breakdown into series; at most 20, and `others` for the rest.
    #[serde(default)]
    #[param(inline)]
    breakdown: BreakdownChoice,
    /// Of this endpoint alone.
    #[param(inline)]
    endpoint: Option<EndpointWord>,
    /// With this outcome alone.
    #[param(inline)]
    outcome: Option<OutcomeWord>,
}

/// Parameters of the period.
#[derive(Deserialize, Validate, IntoParams)]
#[into_params(parameter_in = Query)]
#[validate(schema(function = newest_fits))]
struct Slots {
    /// The length of a slot.
    #[serde(default)]
    #[param(inline)]
    granularity: GranularityChoice,
    /// So many slots, the present one being the last. Not beside `from`.
    #[param(minimum = 1, maximum = 744, default = 30)]
    newest: Option<u32>,
    /// The slots from the one that holds this instant.
    #[param(inline)]
    from: Option<Instant>,
    /// Up to this instant; now when it is absent.
    #[param(inline)]
    to: Option<Instant>,
}

fn newest_fits(slots: &Slots) -> Result<(), ValidationError> {
    let most = u64::try_from(slots.granularity.0.most_slots()).unwrap_or(u64::MAX);
    match slots.newest {
        Some(newest) if !(1..=most).contains(&newest.into()) => Err(rule_error(
            "newest",
            &FieldProblem::OutOfRange { least: 1, most },
        )),
        _ => Ok(()),
    }
}

impl Slots {
    /// The period from `from` to `to`, or the `newest` slots.
    fn period(&self, now: DateTime<Utc>) -> Result<Period, FieldFault> {
        let Choice(granularity) = self.granularity;
        let (field, period) = match (self.newest, &self.from, &self.to) {
            (Some(_), Some(_), _) => ("newest", Err(FieldProblem::Excluded { other: "from" })),
            (_, None, Some(_)) => ("to", Err(FieldProblem::Incomplete { other: "from" })),
            (None, Some(Text(from)), to) => {
                let to = to.as_ref().map_or(now, |Text(to)| *to);
                let period = Period::new(*from, to, granularity);
                ("from", period.map_err(FieldProblem::from))
            }
            (newest, None, None) => {
                let period = Period::newest(newest.unwrap_or(USUAL_SLOTS), granularity, now);
                ("newest", period.map_err(FieldProblem::from))
            }
        };
        period.map_err(|problem| FieldFault::new(field, problem))
    }
}

fn read(
    mut parameters: Input<'_>,
    now: DateTime<Utc>,
) -> Result<(RequestedScope, UsageQuery), Problem> {
    let scope = parameters.part::<Scope>();
    let series = parameters.part::<Series>();
    let period = parameters.part::<Slots>().map(|slots| slots.period(now));
    let period = period.and_then(|period| parameters.checked(period));
    let ((scope, series), period) = parameters.end(scope.zip(series).zip(period))?;
    let query = UsageQuery {
        period,
        breakdown: series.breakdown.0,
        key: scope.key_id.map(|Text(id)| KeyId(id)),
        criteria: RequestCriteria {
            endpoint: series.endpoint.map(|Word(endpoint)| endpoint),
            outcome: series.outcome.map(|Word(outcome)| outcome.into()),
        },
    };
    let account = scope.account_id.map(|Text(id)| CustomerId(id));
    Ok((
        account.map_or(RequestedScope::All, RequestedScope::Of),
        query,
    ))
}

/// Use over time
///
/// Slots begin at full UTC hours, days and months; there are no gaps. A chart has at most 744
/// hours, 400 days or 36 months.
#[utoipa::path(
    get,
    path = "/admin/usage",
    operation_id = "getUsage",
    tag = "admin",
    params(Scope, Slots, Series),
    responses(
        (status = 200, description = "The use.", body = UsageReport),
        FaultyInput, AdminsOnly,
    ),
)]
pub(super) async fn report_usage(request: PersonRequest) -> Result<Response, Problem> {
    let (scope, query) = read(request.parameters(), request.now())?;
    let report = request
        .insights()
        .usage(&request.caller, scope, &query)
        .await;
    let report = report.map_err(|error| request.problem(&error))?;
    request.json(StatusCode::OK, &UsageReport::new(query.period, report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_described_number_of_slots_is_the_one_that_is_read() {
        let mut parameters = Slots::into_params(|| None).into_iter();
        let newest = parameters.find(|it| it.name == "newest").unwrap();
        let schema = serde_json::to_value(newest.schema.unwrap()).unwrap();
        assert_eq!(schema["maximum"], Granularity::Hour.most_slots());
        assert_eq!(schema["default"], USUAL_SLOTS);
    }
}
