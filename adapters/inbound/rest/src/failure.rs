//! Errors as the API tells them: one exhaustive match from each error of a port to the outside.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::response::Response;
use chrono::SecondsFormat;
use domain::outcome::{Endpoint, Outcome};
use domain::query::{Field, FieldError};
use domain::request::RequestId;
use domain::transfer::SameInstitution;
use ports::inbound::{Component, ComponentState, FetchError, NotDurable, NotFoundReason, Refusal};
use serde::Serialize;

use crate::body::{BodyFault, MAX_BODY_BYTES};
use crate::chain::Chain;
use crate::code::Code;
use crate::details::{
    ComponentDetail, Details, FieldDetail, FieldProblem, GapDetail, HintDetail, PaymentDetail,
    Reasons,
};
use crate::headers::{self, retry_after_seconds};
use crate::json::JsonFault;
use crate::language::Language;
use crate::messages::Messages;

/// An error on its way out.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    message: Cow<'static, str>,
    details: Details,
    retry_after: Option<Duration>,
}

/// The body of an error (contract, 2.3).
#[derive(Serialize)]
struct ErrorBody<'a> {
    error: &'static str,
    message: &'a str,
    details: &'a Details,
}

impl Failure {
    fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Details::default(),
            retry_after: None,
        }
    }

    fn with(mut self, details: Details) -> Self {
        self.details = details;
        self
    }

    fn after(mut self, retry_after: Duration) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    /// A refusal of the gatekeeper.
    pub(crate) fn of_refusal(refusal: &Refusal, language: Language) -> Self {
        let messages = language.messages();
        match refusal {
            Refusal::InvalidKey => Self::new(Code::InvalidApiKey, messages.invalid_api_key()),
            Refusal::RateLimited {
                standing,
                retry_after,
            } => {
                let limit = standing.minute.limit;
                let seconds = retry_after_seconds(*retry_after);
                Self::new(
                    Code::RateLimitExceeded,
                    messages.rate_limited(limit, seconds),
                )
                .with(Details {
                    limit: Some(limit.into()),
                    retry_after: Some(seconds),
                    ..Details::default()
                })
                .after(*retry_after)
            }
            Refusal::QuotaExceeded { month, .. } => Self::new(
                Code::QuotaExceeded,
                messages.quota_exceeded(month.limit, month.reset_at),
            )
            .with(Details {
                limit: Some(month.limit),
                used: Some(month.used),
                reset_at: Some(month.reset_at.to_rfc3339_opts(SecondsFormat::Secs, true)),
                ..Details::default()
            }),
            Refusal::Unavailable { retry_after, .. } => Self::unavailable(*retry_after, language),
        }
    }

    /// A body that can't be had.
    pub(crate) fn of_body(fault: BodyFault, deadline: Duration, language: Language) -> Self {
        let messages = language.messages();
        match fault {
            BodyFault::MediaType => Self::new(Code::UnsupportedMediaType, messages.media_type())
                .with(Details {
                    accepted: Some("application/json"),
                    ..Details::default()
                }),
            BodyFault::TooLarge => {
                Self::new(Code::PayloadTooLarge, messages.too_large(MAX_BODY_BYTES)).with(Details {
                    max_bytes: Some(MAX_BODY_BYTES),
                    ..Details::default()
                })
            }
            BodyFault::TimedOut => Self::new(
                Code::RequestTimeout,
                messages.request_timeout(deadline.as_secs()),
            ),
            BodyFault::Broken => {
                Self::new(Code::InvalidRequest, messages.interrupted_body()).with(Details {
                    reason: Some("incomplete_body"),
                    ..Details::default()
                })
            }
        }
    }

    /// A body that is no object that we accept.
    pub(crate) fn of_json(fault: JsonFault, language: Language) -> Self {
        let messages = language.messages();
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
        let detail = |field| FieldDetail::new(field, FieldProblem::Duplicate, messages);
        Self::new(Code::InvalidRequest, messages.json_fault(fault)).with(Details {
            reason: Some(reason),
            position,
            fields: repeated.map(detail).into_iter().collect(),
            ..Details::default()
        })
    }

    /// Faulty fields, all of them.
    pub(crate) fn of_fields(errors: &[FieldError], language: Language) -> Self {
        let messages = language.messages();
        let names: Vec<_> = errors.iter().map(|error| error.field.name()).collect();
        let detail = |error: &FieldError| {
            FieldDetail::new(error.field, FieldProblem::Value(error.problem), messages)
        };
        Self::new(Code::InvalidRequest, messages.invalid_fields(&names)).with(Details {
            reason: Some("invalid_fields"),
            fields: errors.iter().map(detail).collect(),
            ..Details::default()
        })
    }

    /// A lookup that gave no proof, and what it counts as.
    pub(crate) fn of_fetch(
        error: &FetchError,
        endpoint: Endpoint,
        language: Language,
    ) -> (Self, Outcome) {
        let messages = language.messages();
        match error {
            FetchError::InferenceFailed { issuer, receiver } => {
                let missing = [(Field::Issuer, issuer), (Field::Receiver, receiver)]
                    .into_iter()
                    .filter_map(|(field, gap)| gap.is_some().then_some(field.name()))
                    .collect::<Vec<_>>();
                let endpoints = explicit_endpoints(endpoint);
                let detail = |gap| GapDetail::new(gap, messages);
                let message = messages.inference_failed(&missing, endpoints);
                let failure = Self::new(Code::InferenceFailed, message).with(Details {
                    missing,
                    reasons: Some(Reasons {
                        emisor: issuer.map(detail),
                        receptor: receiver.map(detail),
                    }),
                    explicit_endpoints: endpoints.to_vec(),
                    ..Details::default()
                });
                (failure, Outcome::InferenceFailed)
            }
            FetchError::SameInstitution(same) => (
                Self::of_same_institution(*same, messages),
                Outcome::InvalidRequest,
            ),
            FetchError::NotFound { reason, hints } => {
                let hints = hints.iter().map(|hint| HintDetail::new(hint, messages));
                Self::of_not_found(reason, hints.collect(), messages)
            }
            FetchError::BankProtocol { .. } => {
                let failure = Self::new(Code::BankProtocolError, messages.bank_protocol());
                (failure, Outcome::BankProtocolError)
            }
            FetchError::BankUnavailable { retry_after, .. } => {
                let seconds = retry_after_seconds(*retry_after);
                let failure = Self::new(Code::BankUnavailable, messages.bank_unavailable(seconds));
                (failure.after(*retry_after), Outcome::BankUnavailable)
            }
            FetchError::BankThrottled { retry_after, .. } => {
                let seconds = retry_after_seconds(*retry_after);
                let failure = Self::new(Code::BankThrottled, messages.bank_throttled(seconds));
                (failure.after(*retry_after), Outcome::BankThrottled)
            }
            FetchError::BankTimeout => {
                let failure = Self::new(Code::BankTimeout, messages.bank_timeout());
                (failure, Outcome::BankTimeout)
            }
        }
    }

    fn of_same_institution(same: SameInstitution, messages: &dyn Messages) -> Self {
        let detail = |field| FieldDetail::new(field, FieldProblem::SameInstitution, messages);
        Self::new(Code::InvalidRequest, messages.same_institution(same.code)).with(Details {
            reason: Some("same_institution"),
            fields: [Field::Issuer, Field::Receiver].map(detail).into(),
            ..Details::default()
        })
    }

    fn of_not_found(
        reason: &NotFoundReason,
        hints: Vec<HintDetail>,
        messages: &dyn Messages,
    ) -> (Self, Outcome) {
        let (message, word, payment, outcome) = match reason {
            NotFoundReason::NotInSpei => (
                messages.not_in_spei().to_owned(),
                "not_in_spei",
                None,
                Outcome::NotFound,
            ),
            NotFoundReason::ProofNotIssued(payment) => (
                messages.proof_not_issued(payment.state),
                "proof_not_issued",
                Some(PaymentDetail::new(payment)),
                Outcome::NotIssued,
            ),
        };
        let failure = Self::new(Code::NotFound, message).with(Details {
            reason: Some(word),
            payment,
            hints: Some(hints),
            ..Details::default()
        });
        (failure, outcome)
    }

    /// An admission that couldn't be written down: its answer may not leave.
    pub(crate) fn of_not_durable(error: &NotDurable, id: &RequestId, language: Language) -> Self {
        tracing::error!(request_id = %id, cause = %error.cause, "{error}");
        Self::unavailable(error.retry_after, language)
    }

    fn unavailable(retry_after: Duration, language: Language) -> Self {
        let seconds = retry_after_seconds(retry_after);
        let message = language.messages().service_unavailable(seconds);
        Self::new(Code::ServiceUnavailable, message).after(retry_after)
    }

    /// Components that failed.
    pub(crate) fn of_components(components: &[Component], language: Language) -> Self {
        let failed: Vec<_> = components
            .iter()
            .filter(|component| component.state == ComponentState::Failed)
            .map(|component| component.name)
            .collect();
        let message = language.messages().not_ready(&failed);
        Self::new(Code::ServiceUnavailable, message).with(Details {
            components: Some(components.iter().map(ComponentDetail::new).collect()),
            ..Details::default()
        })
    }

    /// A fault of ours.
    pub(crate) fn internal(id: &RequestId, language: Language) -> Self {
        let message = language.messages().internal_error();
        Self::new(Code::InternalError, message).with(Details {
            request_id: Some(id.to_string()),
            ..Details::default()
        })
    }

    /// No such route.
    pub(crate) fn route_not_found(language: Language) -> Self {
        Self::new(Code::RouteNotFound, language.messages().route_not_found())
    }

    /// No such method on this route.
    pub(crate) fn method_not_allowed(language: Language) -> Self {
        let message = language.messages().method_not_allowed();
        Self::new(Code::MethodNotAllowed, message)
    }

    /// The body, as JSON.
    pub(crate) fn body(&self) -> Vec<u8> {
        let body = ErrorBody {
            error: self.code.name(),
            message: &self.message,
            details: &self.details,
        };
        serde_json::to_vec(&body).expect("it has string keys only, and nothing in it can fail")
    }

    pub(crate) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body()));
        *response.status_mut() = self.code.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, headers::JSON);
        headers.insert(CONTENT_SECURITY_POLICY, headers::CSP_NOTHING);
        if let Some(retry_after) = self.retry_after {
            headers::put_retry_after(headers, retry_after);
        }
        if self.code == Code::InvalidApiKey {
            let challenge = HeaderValue::from_static("ApiKey realm=\"cep\"");
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        // The rest of the body isn't waited for (RFC 9110, 15.5.9).
        if self.code == Code::RequestTimeout {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
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
