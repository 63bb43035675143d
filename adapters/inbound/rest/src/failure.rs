//! Errors as the API tells them: one exhaustive match from each error of a port to the outside.

use std::time::Duration;

use chrono::SecondsFormat;
use domain::outcome::Endpoint;
use domain::query::{Field, FieldError};
use domain::request::RequestId;
use domain::transfer::SameInstitution;
use ports::inbound::{
    AdmissionError, Component, ComponentState, FetchError, KeyError, NotDurable, NotFoundReason,
};
use web::headers::retry_after_seconds;
use web::{Chain, Code, Failure, Language};

use crate::details::{
    ComponentDetail, Details, Fault, FieldDetail, FieldProblem, GapDetail, HintDetail,
    PaymentDetail, Reasons,
};
use crate::json::JsonFault;
use crate::messages::{self, Messages};
use crate::people::input::InputProblem;

/// A refusal of the gatekeeper.
pub(crate) fn of_refusal(refusal: &AdmissionError, language: Language) -> Failure {
    let messages = messages::of(language);
    match refusal {
        AdmissionError::InvalidKey => Failure::new(Code::InvalidApiKey, messages.invalid_api_key()),
        AdmissionError::RateLimited {
            limit_status,
            retry_after,
        } => {
            let limit = limit_status.minute.limit;
            let seconds = retry_after_seconds(*retry_after);
            Failure::new(
                Code::RateLimitExceeded,
                messages.rate_limited(limit, seconds),
            )
            .with(&Details {
                limit: Some(limit.into()),
                retry_after: Some(seconds),
                ..Details::default()
            })
            .after(*retry_after)
        }
        AdmissionError::QuotaExceeded { month, .. } => Failure::new(
            Code::QuotaExceeded,
            messages.quota_exceeded(month.limit, month.reset_at),
        )
        .with(&Details {
            limit: Some(month.limit),
            used: Some(month.used),
            reset_at: Some(month.reset_at.to_rfc3339_opts(SecondsFormat::Secs, true)),
            ..Details::default()
        }),
        AdmissionError::Unavailable { retry_after, .. } => {
            Failure::unavailable(*retry_after, language)
        }
    }
}

/// A body that is no object that we accept.
pub(crate) fn of_json(fault: JsonFault, language: Language) -> Failure {
    let messages = messages::of(language);
    let (reason, position) = match fault {
        JsonFault::Empty => ("empty_body", None),
        JsonFault::NotUtf8 { place } => ("not_utf8", Some(place)),
        JsonFault::ByteOrderMark => ("malformed_json", Some(1)),
        JsonFault::Malformed { place } => ("malformed_json", Some(place)),
        JsonFault::NotAnObject { .. } => ("not_an_object", None),
        JsonFault::DuplicateKey { place, .. } => ("duplicate_key", Some(place)),
        JsonFault::TooDeep { place } => ("too_deep", Some(place)),
    };
    let repeated = match fault {
        JsonFault::DuplicateKey { field, .. } => field,
        JsonFault::Empty
        | JsonFault::NotUtf8 { .. }
        | JsonFault::ByteOrderMark
        | JsonFault::Malformed { .. }
        | JsonFault::NotAnObject { .. }
        | JsonFault::TooDeep { .. } => None,
    };
    let detail = |field| FieldDetail::new(&Fault::new(field, FieldProblem::Duplicate), messages);
    Failure::new(Code::InvalidRequest, messages.json_fault(fault)).with(&Details {
        reason: Some(reason),
        position,
        fields: repeated.map(detail).into_iter().collect(),
        ..Details::default()
    })
}

/// Faulty fields of a proof request, all of them.
pub(crate) fn of_fields(errors: &[FieldError], language: Language) -> Failure {
    let fault =
        |error: &FieldError| Fault::new(error.field.name(), FieldProblem::Value(error.problem));
    let faults: Vec<_> = errors.iter().map(fault).collect();
    of_faults(&faults, language)
}

/// Faulty fields, all of them.
pub(crate) fn of_faults(faults: &[Fault], language: Language) -> Failure {
    let messages = messages::of(language);
    let names: Vec<_> = faults.iter().map(|fault| &*fault.field).collect();
    let detail = |fault| FieldDetail::new(fault, messages);
    Failure::new(Code::InvalidRequest, messages.invalid_fields(&names)).with(&Details {
        reason: Some("invalid_fields"),
        fields: faults.iter().map(detail).collect(),
        ..Details::default()
    })
}

/// A change of nothing; `fields` are what could be changed.
pub(crate) fn of_empty_change(fields: &[&'static str], language: Language) -> Failure {
    let message = messages::of(language).empty_change(fields);
    Failure::new(Code::InvalidRequest, message).with(&Details {
        reason: Some("empty_change"),
        ..Details::default()
    })
}

/// Nothing within the caller's reach has the id: nobody is told whether anything has.
pub(crate) fn of_missing_thing(language: Language) -> Failure {
    Failure::new(Code::NotFound, messages::of(language).no_such_thing())
}

/// A database that restarts is usually back by then.
const STORE_RETRY: Duration = Duration::from_secs(5);

/// Why keys, plans, use or the audit log can't be managed or read.
pub(crate) fn of_key(error: &KeyError, id: &RequestId, language: Language) -> Failure {
    let messages = messages::of(language);
    let conflict = |message: String, reason| {
        Failure::new(Code::Conflict, message).with(&Details {
            reason: Some(reason),
            ..Details::default()
        })
    };
    match error {
        KeyError::NotFound => of_missing_thing(language),
        KeyError::Forbidden => {
            Failure::new(Code::Forbidden, messages.admins_only()).with(&Details {
                reason: Some("admins_only"),
                ..Details::default()
            })
        }
        KeyError::Revoked => conflict(messages.key_revoked().to_owned(), "revoked"),
        KeyError::AlreadyRotated => conflict(messages.key_rotated().to_owned(), "already_rotated"),
        KeyError::TooManyKeys { most } => {
            Failure::new(Code::Conflict, messages.too_many_keys(*most)).with(&Details {
                reason: Some("too_many_keys"),
                limit: Some(*most),
                ..Details::default()
            })
        }
        KeyError::Cursor => of_faults(&[Fault::new("after", InputProblem::Cursor)], language),
        KeyError::Store(cause) => {
            tracing::error!(request_id = %id, cause = %Chain(&**cause), "key store unavailable");
            Failure::unavailable(STORE_RETRY, language)
        }
    }
}

/// A lookup that gave no proof.
pub(crate) fn of_fetch(error: &FetchError, endpoint: Endpoint, language: Language) -> Failure {
    let messages = messages::of(language);
    match error {
        FetchError::InferenceFailed { issuer, receiver } => {
            let missing = [(Field::Issuer, issuer), (Field::Receiver, receiver)]
                .into_iter()
                .filter_map(|(field, gap)| gap.is_some().then_some(field.name()))
                .collect::<Vec<_>>();
            let endpoints = explicit_endpoints(endpoint);
            let detail = |gap| GapDetail::new(gap, messages);
            let message = messages.inference_failed(&missing, endpoints);
            Failure::new(Code::InferenceFailed, message).with(&Details {
                missing,
                reasons: Some(Reasons {
                    emisor: issuer.map(detail),
                    receptor: receiver.map(detail),
                }),
                explicit_endpoints: endpoints.to_vec(),
                ..Details::default()
            })
        }
        FetchError::SameInstitution(same) => of_same_institution(*same, messages),
        FetchError::NotFound { reason, hints } => {
            let hints = hints.iter().map(|hint| HintDetail::new(hint, messages));
            of_not_found(reason, hints.collect(), messages)
        }
        FetchError::BankProtocol { .. } => {
            Failure::new(Code::BankProtocolError, messages.bank_protocol())
        }
        FetchError::BankUnavailable { retry_after, .. } => {
            let seconds = retry_after_seconds(*retry_after);
            Failure::new(Code::BankUnavailable, messages.bank_unavailable(seconds))
                .after(*retry_after)
        }
        FetchError::BankThrottled { retry_after, .. } => {
            let seconds = retry_after_seconds(*retry_after);
            Failure::new(Code::BankThrottled, messages.bank_throttled(seconds)).after(*retry_after)
        }
        FetchError::BankTimeout => Failure::new(Code::BankTimeout, messages.bank_timeout()),
    }
}

fn of_same_institution(same: SameInstitution, messages: &dyn Messages) -> Failure {
    let detail = |field: Field| {
        let fault = Fault::new(field.name(), FieldProblem::SameInstitution);
        FieldDetail::new(&fault, messages)
    };
    Failure::new(Code::InvalidRequest, messages.same_institution(same.code)).with(&Details {
        reason: Some("same_institution"),
        fields: [Field::Issuer, Field::Receiver].map(detail).into(),
        ..Details::default()
    })
}

fn of_not_found(
    reason: &NotFoundReason,
    hints: Vec<HintDetail>,
    messages: &dyn Messages,
) -> Failure {
    let (message, word, payment) = match reason {
        NotFoundReason::NotInSpei => (messages.not_in_spei().to_owned(), "not_in_spei", None),
        NotFoundReason::ProofNotIssued(payment) => (
            messages.proof_not_issued(payment.state),
            "proof_not_issued",
            Some(PaymentDetail::new(payment)),
        ),
    };
    Failure::new(Code::NotFound, message).with(&Details {
        reason: Some(word),
        payment,
        hints: Some(hints),
        ..Details::default()
    })
}

/// An admission that couldn't be written down: its answer may not leave.
pub(crate) fn of_not_durable(error: &NotDurable, id: &RequestId, language: Language) -> Failure {
    tracing::error!(request_id = %id, cause = %error.cause, "{error}");
    Failure::unavailable(error.retry_after, language)
}

/// Components that failed.
pub(crate) fn of_components(components: &[Component], language: Language) -> Failure {
    let failed: Vec<_> = components
        .iter()
        .filter(|component| component.state == ComponentState::Failed)
        .map(|component| component.name)
        .collect();
    let message = messages::of(language).not_ready(&failed);
    Failure::new(Code::ServiceUnavailable, message).with(&Details {
        components: Some(components.iter().map(ComponentDetail::new).collect()),
        ..Details::default()
    })
}

/// Writes down why the bank gave nothing, once. What a caller did wrong is no event of ours.
pub(crate) fn log_cause(error: &FetchError, request_id: &RequestId) {
    match error {
        FetchError::BankProtocol { cause } => {
            tracing::error!(%request_id, cause = %Chain(&**cause), "{error}");
        }
        FetchError::BankUnavailable { cause, .. } => {
            tracing::warn!(%request_id, cause = %Chain(&**cause), "{error}");
        }
        FetchError::BankThrottled { reason, .. } => {
            tracing::warn!(%request_id, reason = reason.name(), "{error}");
        }
        FetchError::BankTimeout => tracing::warn!(%request_id, "{error}"),
        FetchError::InferenceFailed { .. }
        | FetchError::SameInstitution(_)
        | FetchError::NotFound { .. } => {}
    }
}

/// Where a caller can name both institutions to get what this endpoint would have given.
fn explicit_endpoints(endpoint: Endpoint) -> &'static [&'static str] {
    match endpoint {
        Endpoint::XmlAuto | Endpoint::Xml => &["/v1/cep/xml"],
        Endpoint::PdfAuto | Endpoint::Pdf => &["/v1/cep/pdf"],
        Endpoint::ZipAuto => &["/v1/cep/xml", "/v1/cep/pdf"],
        Endpoint::Base64 => &["/v1/cep/base64"],
        Endpoint::XmlBase64 => &["/v1/cep/xml_base64"],
    }
}
