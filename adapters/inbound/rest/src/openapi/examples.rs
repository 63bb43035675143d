//! Example bodies. None of them is anybody's transfer.

use std::time::Duration;

use chrono::{DateTime, NaiveDate};
use domain::calendar::DateError;
use domain::hints::Hint;
use domain::inference::Gap;
use domain::limits::{LimitStatus, MinuteStatus, MonthStatus};
use domain::month::Month;
use domain::outcome::Endpoint;
use domain::payment::{Payment, PaymentState};
use domain::query::{Field, FieldError, FieldErrorKind};
use domain::request::RequestId;
use ports::inbound::{AdmissionError, Component, ComponentState, FetchError, NotFoundReason};
use ports::outbound::ThrottleReason;
use serde_json::{Value, json};
use utoipa::openapi::example::{Example, ExampleBuilder};
use web::{BODY_DEADLINE, BodyFault, Failure, Language};

use super::people;
use crate::MAX_BODY_BYTES;
use crate::failure;
use crate::json::JsonFault;

/// The body of a request of this schema.
pub(super) fn request(schema: &str) -> Value {
    let mut request = json!({
        "fecha": "2026-11-20",
        "clave_rastreo": "MBAN01002611200001234567",
        "cuenta": "002010077777777771",
        "monto": 1234.56
    });
    if schema == "ProofRequest" {
        request["emisor"] = json!("40012");
        request["receptor"] = json!("40002");
    }
    request
}

/// The envelope of a file.
pub(super) fn envelope(media_type: &str, extension: &str) -> Value {
    json!({
        "ok": true,
        "filename": format!("CEP-20261120-MBAN01002611200001234567.{extension}"),
        "content_type": media_type,
        "data": "JVBERi0xLjcK…"
    })
}

/// The bodies of one named error answer, by name.
pub(super) fn of(answer: &str) -> Vec<(String, Example)> {
    let failures = match answer {
        "BadRequest" => vec![
            ("INVALID_REQUEST, fields", fields()),
            ("INVALID_REQUEST, body", json_fault()),
        ],
        "BadRequestAuto" => vec![
            ("INVALID_REQUEST, fields", fields()),
            ("INVALID_REQUEST, body", json_fault()),
            ("INFERENCE_FAILED", inference()),
        ],
        "InvalidApiKey" => vec![("INVALID_API_KEY", refusal(&AdmissionError::InvalidKey))],
        "QuotaExceeded" => vec![("QUOTA_EXCEEDED", refusal(&quota()))],
        "NotFound" => vec![
            ("NOT_FOUND, not_in_spei", not_in_spei()),
            ("NOT_FOUND, proof_not_issued", not_issued()),
        ],
        "RequestTimeout" => vec![("REQUEST_TIMEOUT", body(BodyFault::TimedOut))],
        "PayloadTooLarge" => vec![("PAYLOAD_TOO_LARGE", body(BodyFault::TooLarge))],
        "UnsupportedMediaType" => vec![("UNSUPPORTED_MEDIA_TYPE", body(BodyFault::MediaType))],
        "RateLimitExceeded" => vec![("RATE_LIMIT_EXCEEDED", refusal(&rate()))],
        "InternalError" => vec![("INTERNAL_ERROR", Failure::internal(&id(), LANGUAGE))],
        "BankProtocolError" => vec![("BANK_PROTOCOL_ERROR", fetch(&bank_protocol()))],
        "Unavailable" => vec![
            ("BANK_UNAVAILABLE", fetch(&bank_unavailable())),
            ("BANK_THROTTLED", fetch(&bank_throttled())),
            ("SERVICE_UNAVAILABLE", refusal(&unavailable())),
        ],
        "BankTimeout" => vec![("BANK_TIMEOUT", fetch(&FetchError::BankTimeout))],
        "NotReady" => vec![("SERVICE_UNAVAILABLE", not_ready())],
        "RouteNotFound" => vec![("ROUTE_NOT_FOUND", Failure::route_not_found(LANGUAGE))],
        "MethodNotAllowed" => vec![("METHOD_NOT_ALLOWED", Failure::method_not_allowed(LANGUAGE))],
        other => people::examples::of(other),
    };
    failures
        .into_iter()
        .map(|(name, failure)| (name.to_owned(), example(&failure)))
        .collect()
}

const LANGUAGE: Language = Language::Spanish;
const WAIT: Duration = Duration::from_secs(17);

fn example(failure: &Failure) -> Example {
    let value = serde_json::from_slice(&failure.body()).ok();
    ExampleBuilder::new().value(value).build()
}

fn id() -> RequestId {
    RequestId::from_uuid(uuid::Uuid::from_u128(
        0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_c2d1,
    ))
}

fn date(month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, month, day).unwrap_or_default()
}

fn fields() -> Failure {
    let errors = [
        (Field::Date, DateError::NoSuchDay.into()),
        (Field::Amount, FieldErrorKind::Missing),
    ];
    failure::of_fields(
        &errors.map(|(field, problem)| FieldError { field, problem }),
        LANGUAGE,
    )
}

fn json_fault() -> Failure {
    let fault = JsonFault::DuplicateKey {
        field: Some(Field::Amount.name()),
        place: 97,
    };
    failure::of_json(fault, LANGUAGE)
}

fn body(fault: BodyFault) -> Failure {
    Failure::of_body(fault, MAX_BODY_BYTES, BODY_DEADLINE, LANGUAGE)
}

fn refusal(refusal: &AdmissionError) -> Failure {
    failure::of_refusal(refusal, LANGUAGE)
}

fn fetch(error: &FetchError) -> Failure {
    failure::of_fetch(error, Endpoint::XmlAuto, LANGUAGE)
}

fn limit_status() -> LimitStatus {
    let now = DateTime::from_timestamp(1_795_132_800, 0).unwrap_or_default(); // 20 November 2026
    LimitStatus {
        minute: MinuteStatus {
            limit: 60,
            remaining: 0,
            reset: WAIT,
        },
        month: Some(MonthStatus::new(Month::of(now), 1_000, 1_000, now)),
    }
}

fn rate() -> AdmissionError {
    AdmissionError::RateLimited {
        limit_status: limit_status(),
        retry_after: WAIT,
    }
}

fn quota() -> AdmissionError {
    let limit_status = limit_status();
    limit_status
        .month
        .map_or(unavailable(), |month| AdmissionError::QuotaExceeded {
            limit_status,
            month,
        })
}

fn unavailable() -> AdmissionError {
    AdmissionError::Unavailable {
        retry_after: WAIT,
        cause: example_cause(),
    }
}

fn inference() -> Failure {
    fetch(&FetchError::InferenceFailed {
        issuer: Some(Gap::UnknownTrackingKeyShape),
        receiver: None,
    })
}

fn not_in_spei() -> Failure {
    fetch(&FetchError::NotFound {
        reason: NotFoundReason::NotInSpei,
        hints: vec![
            Hint::CheckDigit {
                given: 2,
                expected: 1,
            },
            Hint::DayAndMonthSwapped { other: date(5, 2) },
        ],
    })
}

fn not_issued() -> Failure {
    let at = |hour, minute| date(11, 20).and_hms_opt(hour, minute, 7);
    fetch(&FetchError::NotFound {
        reason: NotFoundReason::ProofNotIssued(Payment {
            state: PaymentState::Settled,
            received_at: at(10, 15),
            processed_at: at(10, 16),
        }),
        hints: vec![],
    })
}

fn bank_protocol() -> FetchError {
    FetchError::BankProtocol {
        cause: example_cause(),
    }
}

fn bank_unavailable() -> FetchError {
    FetchError::BankUnavailable {
        retry_after: WAIT,
        cause: example_cause(),
    }
}

fn bank_throttled() -> FetchError {
    FetchError::BankThrottled {
        retry_after: WAIT,
        reason: ThrottleReason::BackingOff,
    }
}

fn example_cause() -> ports::Cause {
    std::sync::Arc::new(std::fmt::Error)
}

fn not_ready() -> Failure {
    let components = [
        Component {
            name: "store",
            state: ComponentState::Up,
        },
        Component {
            name: "journal",
            state: ComponentState::Failed,
        },
    ];
    failure::of_components(&components, LANGUAGE)
}
