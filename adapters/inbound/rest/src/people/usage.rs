//! Use over time, for admins: everybody's, one account's, one key's.

use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::outcome::{Endpoint, Outcome};
use domain::usage::{Breakdown, Granularity, Period, RequestCriteria, UsageQuery};
use ports::inbound::RequestedScope;
use web::Failure;

use super::ask::Ask;
use super::input::{self, InputProblem, Parameters, whole, word};
use super::views::UsageView;

pub(crate) const GRANULARITIES: &[&str] = &["hour", "day", "month"];
pub(crate) const BREAKDOWNS: &[&str] = &["total", "key", "endpoint", "outcome"];
pub(crate) const ENDPOINTS: &[&str] = &[
    "xml_auto",
    "xml",
    "pdf",
    "pdf_auto",
    "zip_auto",
    "base64",
    "xml_base64",
];
pub(crate) const OUTCOMES: &[&str] = &[
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

/// `GET /admin/usage`.
pub(crate) async fn report(ask: Ask) -> Result<Response, Failure> {
    let mut parameters = ask.parameters();
    let account = parameters.one("account", input::id);
    let reach = account.map_or(RequestedScope::All, |id| RequestedScope::Of(CustomerId(id)));
    let key = parameters.one("key", input::id).map(KeyId);
    let breakdown = parameters.one("by", word(BREAKDOWNS, breakdown));
    let criteria = RequestCriteria {
        endpoint: parameters.one("endpoint", word(ENDPOINTS, Endpoint::from_name)),
        outcome: parameters.one("outcome", word(OUTCOMES, Outcome::from_name)),
    };
    let period = period(&mut parameters, ask.now());
    let usage = UsageQuery {
        period: parameters.end_with(period, ask.language())?,
        breakdown: breakdown.unwrap_or(Breakdown::Total),
        key,
        criteria,
    };
    let report = ask.insights().usage(&ask.caller, reach, &usage).await;
    let report = report.map_err(|error| ask.failure(&error))?;
    ask.answer(StatusCode::OK, &UsageView::new(usage.period, &report))
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
    if ends.any(|name| parameters.faults.speak_of(name)) {
        return None;
    }
    let (field, period) = match (newest, from, to) {
        (Some(_), Some(_), _) => ("newest", Err(InputProblem::Beside("from"))),
        (_, None, Some(_)) => ("to", Err(InputProblem::Without("from"))),
        (None, Some(from), to) => {
            let period = Period::new(from, to.unwrap_or(now), granularity);
            ("from", period.map_err(InputProblem::from))
        }
        (newest, None, None) => {
            let period = Period::newest(newest.unwrap_or(USUAL_SLOTS), granularity, now);
            ("newest", period.map_err(InputProblem::from))
        }
    };
    parameters.faults.checked(field, period)
}

fn newest_slots(text: &str, granularity: Granularity) -> Result<u32, InputProblem> {
    let most = u32::try_from(granularity.most_slots()).unwrap_or(u32::MAX);
    let slots = whole(text, most.into())?;
    u32::try_from(slots).map_err(|_| InputProblem::TooLong(granularity))
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
