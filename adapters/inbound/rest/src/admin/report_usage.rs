//! `GET /admin/usage`.

use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::outcome::{Endpoint, Outcome};
use domain::usage::{Breakdown, Granularity, Period, PeriodError, RequestCriteria, UsageQuery};
use ports::inbound::RequestedScope;
use utoipa::IntoParams;
use web::Problem;
use web::problem::FieldProblem;

use crate::openapi::responses::{AdminsOnly, FaultyInput};
use crate::openapi::schemas::{parameter_type, words};
use crate::people::input::{self, Parameters, whole, word};
use crate::people::request::PersonRequest;
use crate::people::views::{GRANULARITIES, UsageView};

const BREAKDOWNS: &[&str] = &["total", "key", "endpoint", "outcome"];
const ENDPOINTS: &[&str] = &[
    "xml_auto",
    "xml",
    "pdf",
    "pdf_auto",
    "zip_auto",
    "base64",
    "xml_base64",
];
const OUTCOMES: &[&str] = &[
    "delivered",
    "invalid_request",
    "inference_failed",
    "not_found",
    "not_issued",
    "rate_limited",
    "quota_exceeded",
    "bank_protocol_error",
    "bank_unavailable",
    "bank_throttled",
    "bank_timeout",
    "internal_error",
];

/// Slots, when nobody says how many.
const USUAL_SLOTS: u32 = 30;

parameter_type!(Granularities = words(GRANULARITIES).default(Some("day".into())));
parameter_type!(Breakdowns = words(BREAKDOWNS).default(Some("total".into())));
parameter_type!(Endpoints = words(ENDPOINTS));
parameter_type!(Outcomes = words(OUTCOMES));

/// Parameters of the request.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what `read` reads")]
struct Query {
    /// Of this account alone.
    #[param(format = "uuid")]
    account: Option<String>,
    /// Of this key alone.
    #[param(format = "uuid")]
    key: Option<String>,
    /// The length of a slot.
    #[param(required = false, inline, value_type = Granularities)]
    granularity: Option<String>,
    /// So many slots, the present one being the last. Not beside `from`.
    #[param(minimum = 1, maximum = 744, default = 30)]
    newest: Option<u64>,
    /// The slots from the one that holds this instant.
    #[param(format = "date-time")]
    from: Option<String>,
    /// Up to this instant; now when it is absent.
    #[param(format = "date-time")]
    to: Option<String>,
    /// Breakdown into series; at most 20, and `others` for the rest.
    #[param(required = false, inline, value_type = Breakdowns)]
    by: Option<String>,
    /// Of this endpoint alone.
    #[param(required = false, inline, value_type = Endpoints)]
    endpoint: Option<String>,
    /// With this outcome alone.
    #[param(required = false, inline, value_type = Outcomes)]
    outcome: Option<String>,
}

fn read(
    mut parameters: Parameters,
    now: DateTime<Utc>,
) -> Result<(RequestedScope, UsageQuery), Problem> {
    let account = parameters.one("account", input::id);
    let scope = account.map_or(RequestedScope::All, |id| RequestedScope::Of(CustomerId(id)));
    let key = parameters.one("key", input::id).map(KeyId);
    let breakdown = parameters.one("by", word(BREAKDOWNS, breakdown));
    let criteria = RequestCriteria {
        endpoint: parameters.one("endpoint", word(ENDPOINTS, Endpoint::from_name)),
        outcome: parameters.one("outcome", word(OUTCOMES, Outcome::from_name)),
    };
    let period = period(&mut parameters, now);
    let query = UsageQuery {
        period: parameters.end_with(period)?,
        breakdown: breakdown.unwrap_or(Breakdown::Total),
        key,
        criteria,
    };
    Ok((scope, query))
}

fn breakdown(text: &str) -> Option<Breakdown> {
    match text {
        "total" => Some(Breakdown::Total),
        "key" => Some(Breakdown::Key),
        "endpoint" => Some(Breakdown::Endpoint),
        "outcome" => Some(Breakdown::Outcome),
        _ => None,
    }
}

/// The slots from `from` to `to`, or the `newest` ones; without them there is a fault.
fn period(parameters: &mut Parameters, now: DateTime<Utc>) -> Option<Period> {
    let granularity = parameters.one("granularity", word(GRANULARITIES, Granularity::from_name));
    let granularity = granularity.unwrap_or(Granularity::Day);
    let newest = parameters.one("newest", |text| newest_slots(text, granularity));
    let from = parameters.one("from", input::instant);
    let to = parameters.one("to", input::instant);
    let mut ends = ["granularity", "newest", "from", "to"].into_iter();
    if ends.any(|name| parameters.faults.has(name)) {
        return None;
    }
    let (field, period) = match (newest, from, to) {
        (Some(_), Some(_), _) => ("newest", Err(FieldProblem::Excluded { other: "from" })),
        (_, None, Some(_)) => ("to", Err(FieldProblem::Incomplete { other: "from" })),
        (None, Some(from), to) => {
            let period = Period::new(from, to.unwrap_or(now), granularity);
            ("from", period.map_err(FieldProblem::from))
        }
        (newest, None, None) => {
            let period = Period::newest(newest.unwrap_or(USUAL_SLOTS), granularity, now);
            ("newest", period.map_err(FieldProblem::from))
        }
    };
    parameters.faults.checked(field, period)
}

fn newest_slots(text: &str, granularity: Granularity) -> Result<u32, FieldProblem> {
    let most = u32::try_from(granularity.most_slots()).unwrap_or(u32::MAX);
    let slots = whole(text, most.into())?;
    u32::try_from(slots).map_err(|_| FieldProblem::from(PeriodError::TooLong(granularity)))
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
    params(Query),
    responses(
        (status = 200, description = "The use.", body = UsageView),
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
    request.json(StatusCode::OK, &UsageView::new(query.period, &report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_is_offered_is_read() {
        assert!(
            GRANULARITIES
                .iter()
                .all(|word| Granularity::from_name(word).is_some())
        );
        assert!(BREAKDOWNS.iter().all(|word| breakdown(word).is_some()));
        assert_eq!(ENDPOINTS, Endpoint::ALL.map(Endpoint::name));
        assert_eq!(OUTCOMES, Outcome::ALL.map(Outcome::name));
    }
}
