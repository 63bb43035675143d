//! The way of one proof request.
//!
//! It runs in a task of its own, so that a caller who hangs up loses neither the count of its
//! request nor the proof that the bank was already asked for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::calendar;
use domain::inference::Evidence;
use domain::key::{Environment, KeyId};
use domain::outcome::{Endpoint, Outcome};
use domain::query::ProofQuery;
use domain::transfer::Banks;
use futures::FutureExt as _;
use ports::inbound::{AdmissionError, AdmissionRequest, FetchReport, ProofRequest, Settlement};
use tokio::sync::oneshot;
use tracing::field::display;
use tracing::{Instrument as _, Span};
use web::headers::put_common;
use web::{Failure, RequestContext, Upload, milliseconds, trace};

use crate::caller;
use crate::ending::Ending;
use crate::failure;
use crate::files;
use crate::headers;
use crate::json;
use crate::{MAX_BODY_BYTES, RestState};

/// Answers a proof request.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
) -> Response {
    let request_layer = &state.request_layer;
    let call = RequestContext::new(
        request.headers(),
        &*request_layer.clock,
        &*request_layer.random,
    );
    let span = trace::request_span(&request, &call, request_layer);
    let (sender, receiver) = oneshot::channel();
    let errand = Errand {
        state: Arc::clone(&state),
        call: call.clone(),
        span,
        endpoint,
    };
    request_layer.tasks.spawn(errand.run(request, sender));
    if let Ok(response) = receiver.await {
        return response;
    }
    tracing::error!(request_id = %call.request_id, "a proof request's task panicked");
    let mut response = Failure::internal(&call.request_id, call.language).into_response();
    put_common(response.headers_mut(), call.id_value());
    response
}

/// One proof request, under way.
struct Errand {
    state: Arc<RestState>,
    call: RequestContext,
    span: Span,
    endpoint: Endpoint,
}

/// What became of it, for the log.
struct Record {
    ending: Ending,
    key: Option<(KeyId, Environment)>,
    banks: Option<Banks>,
    evidence: Evidences,
    bank_time: Option<Duration>,
}

/// What the institutions were inferred from, where they were.
#[derive(Default)]
struct Evidences {
    issuer: Option<Evidence>,
    receiver: Option<Evidence>,
}

/// The answer to an admitted request, before it is settled.
struct Answer {
    response: Response,
    settlement: Settlement,
    evidence: Evidences,
}

impl Errand {
    async fn run(self, request: Request, sender: oneshot::Sender<Response>) {
        let address = caller::address(&request);
        let (parts, body) = request.into_parts();
        let mut upload = Upload::new(&parts.headers, body, self.state.request_layer.body_deadline);
        let attempt = AdmissionRequest {
            presented_key: caller::presented_key(&parts.headers),
            address,
            endpoint: self.endpoint,
            request_id: self.call.request_id.clone(),
        };
        let (mut response, record) = self
            .admitted(attempt, &parts.headers, &mut upload)
            .instrument(self.span.clone())
            .await;
        put_common(response.headers_mut(), self.call.id_value());
        let status = response.status();
        let heard = sender.send(response).is_ok();
        self.report(&parts, status, heard, &record);
        upload.drain().await;
    }

    /// Has the request admitted, answered and settled, exactly once each.
    async fn admitted(
        &self,
        attempt: AdmissionRequest<'_>,
        headers: &HeaderMap,
        upload: &mut Upload,
    ) -> (Response, Record) {
        let span = tracing::info_span!(target: "cep::trace", "admission");
        let admitting = self.state.gatekeeper.admit(attempt);
        let admission = match admitting.instrument(span).await {
            Ok(admission) => admission,
            Err(refusal) => return self.refused(&refusal),
        };
        let environment = admission.environment;
        let key = (admission.key, environment);
        let (counted, admitted_at) = (admission.limit_status, admission.admitted_at_monotonic);

        let answer = AssertUnwindSafe(self.answered(environment, headers, upload))
            .catch_unwind()
            .await
            .unwrap_or_else(|_| self.failed("the answer to a proof request panicked"));
        let Answer {
            mut response,
            settlement,
            evidence,
        } = answer;
        let mut record = Record {
            ending: Ending::Settled(settlement.outcome),
            key: Some(key),
            banks: settlement.banks,
            evidence,
            bank_time: settlement.bank_time,
        };
        let settling = self.state.gatekeeper.settle(admission, settlement);
        let span = tracing::info_span!(target: "cep::trace", "settlement");
        let settled = settling.instrument(span).await;
        let limit_status = match settled {
            Ok(limit_status) => limit_status,
            Err(error) => {
                let RequestContext {
                    request_id,
                    language,
                    ..
                } = &self.call;
                response = failure::of_not_durable(&error, request_id, *language).into_response();
                // Whatever the answer was, it stays here, and nobody pays for it.
                record.ending = Ending::Settled(Outcome::InternalError);
                let now = self.state.request_layer.clock.monotonic();
                counted
                    .after(now.saturating_sub(admitted_at))
                    .after_refund()
            }
        };
        headers::put_standing(response.headers_mut(), &limit_status);
        (response, record)
    }

    fn refused(&self, refusal: &AdmissionError) -> (Response, Record) {
        let (ending, limit_status) = match refusal {
            AdmissionError::InvalidKey => (Ending::InvalidApiKey, None),
            AdmissionError::RateLimited { limit_status, .. } => {
                (Ending::Settled(Outcome::RateLimited), Some(limit_status))
            }
            AdmissionError::QuotaExceeded { limit_status, .. } => {
                (Ending::Settled(Outcome::QuotaExceeded), Some(limit_status))
            }
            AdmissionError::Unavailable { cause, .. } => {
                let request_id = &self.call.request_id;
                tracing::warn!(%request_id, %cause, "a request could be neither admitted nor refused");
                (Ending::Unavailable, None)
            }
        };
        let mut response = failure::of_refusal(refusal, self.call.language).into_response();
        if let Some(limit_status) = limit_status {
            headers::put_standing(response.headers_mut(), limit_status);
        }
        let record = Record {
            ending,
            key: None,
            banks: None,
            evidence: Evidences::default(),
            bank_time: None,
        };
        (response, record)
    }

    async fn answered(
        &self,
        environment: Environment,
        headers: &HeaderMap,
        upload: &mut Upload,
    ) -> Answer {
        let query = match self.query(headers, upload).await {
            Ok(query) => query,
            Err(failure) => return unasked(failure, Outcome::InvalidRequest),
        };
        let request = ProofRequest {
            query,
            wanted: self.endpoint.wanted(),
            environment,
        };
        let FetchReport {
            banks,
            issuer_evidence,
            receiver_evidence,
            bank_time,
            result,
        } = self.state.proofs.fetch(request).await;
        let (response, outcome) = match result {
            Ok(delivery) => match files::render(self.endpoint, delivery).await {
                Ok(response) => (response, Outcome::Delivered),
                Err(error) => {
                    let Answer {
                        response,
                        settlement,
                        ..
                    } = self.failed(&error);
                    (response, settlement.outcome)
                }
            },
            Err(error) => {
                failure::log_cause(&error, &self.call.request_id);
                let (failure, outcome) =
                    failure::of_fetch(&error, self.endpoint, self.call.language);
                (failure.into_response(), outcome)
            }
        };
        Answer {
            response,
            settlement: Settlement {
                outcome,
                banks,
                bank_time,
            },
            evidence: Evidences {
                issuer: issuer_evidence,
                receiver: receiver_evidence,
            },
        }
    }

    /// Reads the body and checks all of its fields.
    async fn query(&self, headers: &HeaderMap, upload: &mut Upload) -> Result<ProofQuery, Failure> {
        let language = self.call.language;
        let body = upload
            .read(headers, MAX_BODY_BYTES)
            .await
            .map_err(|fault| {
                let deadline = self.state.request_layer.body_deadline;
                Failure::of_body(fault, MAX_BODY_BYTES, deadline, language)
            })?;
        let raw = json::read_query(&body).map_err(|fault| failure::of_json(fault, language))?;
        let today = calendar::today(self.state.request_layer.clock.now());
        let institutions = self.endpoint.institutions();
        ProofQuery::parse(&raw, institutions, today, self.state.catalogue)
            .map_err(|errors| failure::of_fields(&errors, language))
    }

    fn failed(&self, cause: impl std::fmt::Display) -> Answer {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.call;
        tracing::error!(%request_id, %cause, "a proof request failed within");
        unasked(
            Failure::internal(request_id, *language),
            Outcome::InternalError,
        )
    }

    /// Tells the witnesses, and writes one line, without personal data.
    fn report(&self, parts: &Parts, status: StatusCode, heard: bool, record: &Record) {
        let RestState {
            request_layer,
            metrics_sink,
            ..
        } = &*self.state;
        let now = request_layer.clock.monotonic();
        let duration = now.saturating_sub(self.call.started);
        let route = web::route(parts.extensions.get::<MatchedPath>());
        request_layer.metrics_sink.answered(route, status);
        metrics_sink.ended(self.endpoint, record.ending, duration);
        self.trace(status, record);
        if !tracing::enabled!(target: "cep::request", tracing::Level::INFO) {
            return;
        }
        tracing::info!(
            target: "cep::request",
            method = %parts.method,
            route,
            status = status.as_u16(),
            outcome = record.ending.name(),
            endpoint = self.endpoint.name(),
            key = record.key.map(|(id, _)| display(id)),
            environment = record.key.map(|(_, environment)| environment.name()),
            issuer = record.banks.map(|banks| banks.issuer.number()),
            receiver = record.banks.map(|banks| banks.receiver.number()),
            issuer_evidence = record.evidence.issuer.as_ref().map(Evidence::kind),
            receiver_evidence = record.evidence.receiver.as_ref().map(Evidence::kind),
            bank_ms = record.bank_time.map(milliseconds),
            duration_ms = milliseconds(duration),
            client_gone = !heard,
            request_id = self.call.request_id.as_str(),
        );
    }

    /// Tells the request's span what the line tells, without the banks.
    fn trace(&self, status: StatusCode, record: &Record) {
        let span = &self.span;
        if span.is_disabled() {
            return;
        }
        trace::answered(span, status);
        span.record("cep.endpoint", self.endpoint.name());
        span.record("cep.outcome", record.ending.name());
        if let Some((id, environment)) = record.key {
            span.record("cep.key_id", display(id));
            span.record("cep.environment", environment.name());
        }
    }
}

/// An answer for which nobody was asked.
fn unasked(failure: Failure, outcome: Outcome) -> Answer {
    Answer {
        response: failure.into_response(),
        settlement: Settlement {
            outcome,
            banks: None,
            bank_time: None,
        },
        evidence: Evidences::default(),
    }
}
