//! Examples of error responses, made of the errors that the application has.

use super::{batches, people, receipts};
use crate::MAX_BODY_BYTES;
use crate::failure;
use application::{AdmissionError, Component, ComponentState, FetchError, RepeatError};
use chrono::{DateTime, NaiveDate};
use domain::hints::Hint;
use domain::keys::{Environment, KeyId};
use domain::limits::{LimitStatus, MinuteStatus, MonthStatus};
use domain::month::Month;
use domain::outcome::Endpoint;
use domain::pacing::ThrottleReason;
use domain::participants::ParticipantCode;
use domain::participants::inference::{
    Confidence, Evidence, InferenceFailure, Inferred, InferredBanks,
};
use domain::payment::{Payment, PaymentState};
use domain::proofs::check::{CheckReason, MAX_FILE_BYTES};
use domain::query::Field;
use domain::request::RequestId;
use ports::outbound::BankError;
use std::time::Duration;
use utoipa::openapi::example::{Example, ExampleBuilder};
use uuid::Uuid;
use web::problem::{FieldFault, FieldProblem};
use web::{BODY_DEADLINE, Language, Problem};

/// Examples of a named error response, each with its own name.
pub(in crate::openapi) fn of(answer: &str) -> Vec<(String, Example)> {
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
        "BadFile" => vec![
            ("INVALID_REQUEST, file", screenshot()),
            ("INVALID_REQUEST, parameter", parameter()),
        ],
        "InvalidApiKey" => vec![("INVALID_API_KEY", refusal(&AdmissionError::InvalidKey))],
        "QuotaExceeded" => vec![("QUOTA_EXCEEDED", refusal(&quota()))],
        "NotFound" => vec![
            ("NOT_FOUND, not_in_spei", not_in_spei()),
            (
                "NOT_FOUND, proof_not_issued",
                without_proof(PaymentState::Settled),
            ),
            (
                "NOT_FOUND, payment_returned",
                without_proof(PaymentState::Returned),
            ),
        ],
        "RequestTimeout" => vec![(
            "REQUEST_TIMEOUT",
            Problem::RequestTimeout {
                deadline: BODY_DEADLINE,
            },
        )],
        "PayloadTooLarge" => vec![(
            "PAYLOAD_TOO_LARGE",
            Problem::PayloadTooLarge {
                max_bytes: MAX_BODY_BYTES,
            },
        )],
        "LargeFile" => vec![(
            "PAYLOAD_TOO_LARGE",
            Problem::PayloadTooLarge {
                max_bytes: MAX_FILE_BYTES,
            },
        )],
        "NoFile" => vec![("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedFileType)],
        "UnsupportedMediaType" => vec![("UNSUPPORTED_MEDIA_TYPE", Problem::UnsupportedMediaType)],
        "RateLimitExceeded" => vec![("RATE_LIMIT_EXCEEDED", refusal(&rate()))],
        "TooManyCharged" => vec![
            ("RATE_LIMIT_EXCEEDED, a key", refusal(&rate())),
            (
                "RATE_LIMIT_EXCEEDED, a session",
                people::too_many_requests(),
            ),
        ],
        "InternalError" => vec![("INTERNAL_ERROR", Problem::internal(&id()))],
        "BankProtocolError" => vec![("BANK_PROTOCOL_ERROR", fetch(&bank_protocol()))],
        "Unavailable" => vec![
            ("BANK_UNAVAILABLE", fetch(&bank_unavailable())),
            ("BANK_THROTTLED", fetch(&bank_throttled())),
            ("SERVICE_UNAVAILABLE", refusal(&unavailable())),
        ],
        "BankTimeout" => vec![("BANK_TIMEOUT", fetch(&BankError::Timeout.into()))],
        "NoSuchLookup" => vec![("NOT_FOUND", Problem::NoSuchLookup)],
        "NoSuchFile" => vec![
            ("NOT_FOUND, no_such_lookup", Problem::NoSuchLookup),
            ("NOT_FOUND, file_not_kept", Problem::FileNotKept),
        ],
        "KeyInProgress" => vec![(
            "IDEMPOTENCY_KEY_IN_PROGRESS",
            failure::of_repeat(RepeatError::InProgress {
                retry_after: Duration::from_secs(1),
            }),
        )],
        "KeyReused" => vec![(
            "IDEMPOTENCY_KEY_REUSED",
            failure::of_repeat(RepeatError::KeyReused),
        )],
        "NoSuchOwnFile" => vec![
            ("NOT_FOUND, unknown", Problem::NoSuchResource),
            ("NOT_FOUND, file_not_kept", Problem::FileNotKept),
        ],
        "NotDelivered" => vec![("CONFLICT", Problem::LookupNotDelivered)],
        "TooManyReads" => vec![("RATE_LIMIT_EXCEEDED", too_many_reads())],
        "NotReady" => vec![("SERVICE_UNAVAILABLE", not_ready())],
        "RouteNotFound" => vec![("ROUTE_NOT_FOUND", Problem::RouteNotFound)],
        "MethodNotAllowed" => vec![("METHOD_NOT_ALLOWED", Problem::MethodNotAllowed)],
        other => {
            let mut failures = batches::of(other);
            failures.extend(receipts::of(other));
            failures.extend(people::of(other));
            failures
        }
    };
    failures
        .into_iter()
        .map(|(name, failure)| (name.to_owned(), example(&failure)))
        .collect()
}

pub(super) const LANGUAGE: Language = Language::Spanish;
pub(super) const WAIT: Duration = Duration::from_secs(17);

fn example(failure: &Problem) -> Example {
    let value = serde_json::to_value(failure.body(LANGUAGE)).ok();
    ExampleBuilder::new().value(value).build()
}

fn id() -> RequestId {
    RequestId::from_uuid(uuid::Uuid::from_u128(
        0x019a_a0b2_7d3e_7c55_8d3f_4be0_a3f6_c2d1,
    ))
}

pub(super) fn date(month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, month, day).unwrap_or_default()
}

fn fields() -> Problem {
    Problem::invalid_fields([
        FieldFault::new(Field::Date.name(), FieldProblem::NoSuchDay),
        FieldFault::new(Field::Amount.name(), FieldProblem::Missing),
    ])
}

/// The problem of a scanned PDF.
fn screenshot() -> Problem {
    Problem::NotAProof {
        reason: CheckReason::PdfWithoutText,
        element: None,
    }
}

pub(super) fn parameter() -> Problem {
    Problem::invalid_field("Portal", FieldProblem::Unknown)
}

fn json_fault() -> Problem {
    Problem::DuplicateKey {
        field: Field::Amount.name(),
        position: 97,
    }
}

fn refusal(refusal: &AdmissionError) -> Problem {
    failure::of_refusal(refusal)
}

fn fetch(error: &FetchError) -> Problem {
    failure::of_fetch(error, &inferred(), Endpoint::XmlAuto)
}

/// Both banks of the example queries, inferred.
pub(super) fn inferred() -> InferredBanks {
    let side = |code, evidence| {
        let code = ParticipantCode::parse(code)?;
        Some(Inferred { code, evidence })
    };
    InferredBanks {
        issuer: side(
            "40012",
            Evidence::TrackingKeyShape {
                bank: "BBVA Mexico",
                confidence: Confidence::High,
            },
        ),
        receiver: side(
            "40002",
            Evidence::ClabePrefix {
                prefix: "002".to_owned(),
                confidence: Confidence::High,
            },
        ),
    }
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
        key: (KeyId(Uuid::nil()), Environment::Live),
        limit_status: Box::new(limit_status()),
        retry_after: WAIT,
    }
}

fn quota() -> AdmissionError {
    let limit_status = limit_status();
    limit_status
        .month
        .map_or(unavailable(), |month| AdmissionError::QuotaExceeded {
            key: (KeyId(Uuid::nil()), Environment::Live),
            limit_status: Box::new(limit_status),
            month,
        })
}

fn unavailable() -> AdmissionError {
    AdmissionError::Unavailable {
        retry_after: WAIT,
        cause: example_cause(),
    }
}

pub(super) fn too_many_reads() -> Problem {
    Problem::TooManyReads {
        limit: 600,
        retry_after: WAIT,
    }
}

fn inference() -> Problem {
    fetch(&FetchError::InferenceFailed {
        issuer: Some(InferenceFailure::UnknownTrackingKeyShape),
        receiver: Some(InferenceFailure::UnknownClabePrefix {
            prefix: 846,
            list_date: date(9, 11),
        }),
    })
}

fn not_in_spei() -> Problem {
    fetch(&FetchError::NotFound {
        payment: None,
        hints: vec![
            Hint::CheckDigit {
                given: 2,
                expected: 1,
            },
            Hint::DayAndMonthSwapped { other: date(5, 2) },
            Hint::LooksLikeReference,
        ],
    })
}

fn without_proof(state: PaymentState) -> Problem {
    fetch(&FetchError::NotFound {
        payment: Some(payment(state)),
        hints: vec![],
    })
}

/// A payment without a proof.
pub(super) fn payment(state: PaymentState) -> Payment {
    let at = |hour, minute| date(11, 20).and_hms_opt(hour, minute, 7);
    Payment {
        state,
        received_at: at(10, 15),
        processed_at: at(10, 16),
    }
}

fn bank_protocol() -> FetchError {
    FetchError::Bank(BankError::Protocol {
        cause: example_cause(),
    })
}

fn bank_unavailable() -> FetchError {
    FetchError::Bank(BankError::Unavailable {
        retry_after: WAIT,
        cause: example_cause(),
    })
}

fn bank_throttled() -> FetchError {
    FetchError::Bank(BankError::Throttled {
        retry_after: WAIT,
        reason: ThrottleReason::BackingOff,
    })
}

fn example_cause() -> ports::Cause {
    std::sync::Arc::new(std::fmt::Error)
}

fn not_ready() -> Problem {
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
    Problem::NotReady {
        components: components.into(),
    }
}
