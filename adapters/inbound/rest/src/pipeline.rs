//! A proof request over HTTP: decodes it for [`ports::inbound::ProofRequests`], and encodes what
//! that answers.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use domain::calendar;
use domain::inference::{Inferred, InferredBanks};
use domain::key::{Environment, KeyId};
use domain::outcome::Endpoint;
use domain::query::{ExpectedBeneficiary, ProofQuery};
use ports::Cause;
use ports::inbound::{
    AcceptedRequest, AdmissionError, AdmissionRequest, Delivery, FetchError, InvalidRequest,
    LookupDetails, ProofExchange, ProofRequests, Reply, ServedRequest, SettledRequest,
};
use tokio::sync::oneshot;
use tracing::Span;
use tracing::field::display;
use web::headers::put_common;
use web::{Problem, RequestContext, Upload, method_name, milliseconds, trace};

use crate::caller;
use crate::ending::Ending;
use crate::failure;
use crate::files::{self, Encoding};
use crate::headers;
use crate::json;
use crate::{MAX_BODY_BYTES, RestState};

mod check;
mod create;

pub(crate) use check::answer as answer_check;
pub(crate) use create::answer as answer_creation;

/// Answers a request of an endpoint with a proof in its encoding.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    encoding: Encoding,
    request: Request,
) -> Response {
    respond(state, endpoint, request, |requests, admission, call| {
        let exchange = Exchange {
            call,
            encoding,
            expected: ExpectedBeneficiary::default(),
            encoded: None,
        };
        requests.serve(admission, Box::new(exchange));
    })
    .await
}

/// Starts a request, and waits for its answer.
async fn respond(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
    start: impl FnOnce(&dyn ProofRequests, AdmissionRequest, Call),
) -> Response {
    let request_layer = &state.request_layer;
    let context = RequestContext::new(
        request.headers(),
        &*request_layer.clock,
        &*request_layer.random,
    );
    let span = trace::request_span(&request, &context, &*request_layer.trace_context);
    let address = caller::address(&request);
    let (parts, body) = request.into_parts();
    let admission_request = AdmissionRequest {
        presented_key: caller::presented_key(&parts.headers).map(str::to_owned),
        address,
        endpoint,
        request_id: context.request_id.clone(),
    };
    let (sender, receiver) = oneshot::channel();
    let call = Call {
        upload: Upload::new(&parts.headers, body, request_layer.body_deadline),
        sender,
        head: Head {
            state: Arc::clone(&state),
            context: context.clone(),
            span: span.clone(),
            endpoint,
            parts,
        },
    };
    span.in_scope(|| start(&*state.proof_requests, admission_request, call));
    drop(span);
    if let Ok(response) = receiver.await {
        return response;
    }
    tracing::error!(request_id = %context.request_id, "a proof request's task panicked");
    let mut response = Problem::internal(&context.request_id).response(context.language);
    put_common(response.headers_mut(), context.id_value());
    response
}

/// One request over HTTP, and the way of its answer.
struct Call {
    head: Head,
    upload: Upload,
    sender: oneshot::Sender<Response>,
}

/// A proof request over HTTP.
struct Exchange {
    call: Call,
    encoding: Encoding,
    /// The beneficiary to compare with, at the endpoints that do.
    expected: ExpectedBeneficiary,
    /// The answer, until the request is settled.
    encoded: Option<Response>,
}

/// A request without its body.
struct Head {
    state: Arc<RestState>,
    context: RequestContext,
    span: Span,
    endpoint: Endpoint,
    parts: Parts,
}

#[async_trait]
impl ProofExchange for Exchange {
    async fn decode(&mut self) -> Result<ProofQuery, InvalidRequest> {
        let Call { head, upload, .. } = &mut self.call;
        match head.query(upload).await {
            Ok((query, expected)) => {
                self.expected = expected;
                Ok(query)
            }
            Err(problem) => {
                self.encoded = Some(problem.response(head.context.language));
                Err(InvalidRequest)
            }
        }
    }

    async fn encode(
        &mut self,
        result: Result<Delivery, FetchError>,
        inferred: &InferredBanks,
    ) -> Result<(), Cause> {
        let Head {
            context, endpoint, ..
        } = &self.call.head;
        self.encoded = Some(match result {
            Ok(delivery) => files::render(self.encoding, delivery, &self.expected)
                .await
                .map_err(|error| Arc::new(error) as Cause)?,
            Err(error) => {
                failure::log_cause(&error, &context.request_id);
                failure::of_fetch(&error, inferred, *endpoint).response(context.language)
            }
        });
        Ok(())
    }

    async fn finish(self: Box<Self>, served: ServedRequest) {
        let Self { call, encoded, .. } = *self;
        call.finish(&served, encoded).await;
    }
}

impl Call {
    /// Sends the answer and reports it; then takes in what is left of the body.
    async fn finish(self, served: &ServedRequest, encoded: Option<Response>) {
        let Self {
            head,
            mut upload,
            sender,
        } = self;
        let mut response = match served {
            ServedRequest::Refused(error) => head.refusal(error),
            ServedRequest::Settled(settled) => head.reply(settled, encoded),
            ServedRequest::Accepted(accepted) => head.accepted(accepted, encoded),
        };
        put_common(response.headers_mut(), head.context.id_value());
        let status = response.status();
        let is_client_gone = sender.send(response).is_err();
        head.report(status, is_client_gone, served);
        upload.drain().await;
    }
}

impl Head {
    /// Reads the body and checks all of its fields.
    async fn query(
        &self,
        upload: &mut Upload,
    ) -> Result<(ProofQuery, ExpectedBeneficiary), Problem> {
        let body = upload.read(&self.parts.headers, MAX_BODY_BYTES).await?;
        let (raw, beneficiary) = json::read_query(&body)?;
        let today = calendar::today(self.state.request_layer.clock.now());
        let institutions = self.endpoint.institutions();
        let catalogue = self.state.participants.catalogue();
        let query = ProofQuery::parse(&raw, institutions, today, &catalogue);
        // Other endpoints ignore it, as they do whatever they don't know.
        let expected = if self.endpoint.is_parsed() {
            ExpectedBeneficiary::parse(&beneficiary)
        } else {
            Ok(ExpectedBeneficiary::default())
        };
        match (query, expected) {
            (Ok(query), Ok(expected)) => Ok((query, expected)),
            (query, expected) => {
                let errors = query.err().into_iter().chain(expected.err());
                let errors: Vec<_> = errors.flatten().collect();
                Err(Problem::invalid_fields(&errors))
            }
        }
    }

    /// The answer to a request that wasn't admitted.
    fn refusal(&self, error: &AdmissionError) -> Response {
        let mut response = failure::of_refusal(error).response(self.context.language);
        if let AdmissionError::RateLimited { limit_status, .. }
        | AdmissionError::QuotaExceeded { limit_status, .. } = error
        {
            headers::put_standing(response.headers_mut(), limit_status);
        }
        response
    }

    /// The answer to a request that was admitted.
    fn reply(&self, settled: &SettledRequest, encoded: Option<Response>) -> Response {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.context;
        let internal = || Problem::internal(request_id).response(*language);
        let mut response = match &settled.reply {
            Reply::Encoded => encoded.unwrap_or_else(internal),
            Reply::Failed => internal(),
            Reply::NotDurable(error) => {
                failure::of_not_durable(error, request_id).response(*language)
            }
        };
        headers::put_standing(response.headers_mut(), &settled.limit_status);
        headers::put_inferred(response.headers_mut(), &settled.details.inferred);
        response
    }

    /// The answer to a request whose lookup is stored.
    fn accepted(&self, accepted: &AcceptedRequest, encoded: Option<Response>) -> Response {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.context;
        let mut response =
            encoded.unwrap_or_else(|| Problem::internal(request_id).response(*language));
        headers::put_standing(response.headers_mut(), &accepted.limit_status);
        headers::put_inferred(response.headers_mut(), &accepted.details.inferred);
        response
    }

    /// Records the metrics, and writes one line, without personal data.
    fn report(&self, status: StatusCode, is_client_gone: bool, served: &ServedRequest) {
        let RestState {
            request_layer,
            metrics_sink,
            ..
        } = &*self.state;
        let now = request_layer.clock.monotonic();
        let duration = now.saturating_sub(self.context.started);
        let route = web::route(self.parts.extensions.get::<MatchedPath>());
        let ending = Ending::of(served);
        request_layer.metrics_sink.answered(route, status);
        metrics_sink.ended(self.endpoint, ending, duration);
        let admitted = Admitted::of(served);
        self.trace(status, ending, admitted);
        if !tracing::enabled!(target: "cep::request", tracing::Level::INFO) {
            return;
        }
        let details = admitted.map(|admitted| admitted.details);
        let banks = details.and_then(|details| details.banks);
        let inferred = details.map(|details| &details.inferred);
        let issuer = inferred.and_then(|inferred| inferred.issuer.as_ref());
        let receiver = inferred.and_then(|inferred| inferred.receiver.as_ref());
        let kind = |side: &Inferred| side.evidence.kind();
        let bank_time = details.and_then(|details| details.bank_time);
        tracing::info!(
            target: "cep::request",
            method = method_name(&self.parts.method),
            route,
            status = status.as_u16(),
            outcome = ending.name(),
            endpoint = self.endpoint.name(),
            key = admitted.map(|admitted| display(admitted.key)),
            environment = admitted.map(|admitted| admitted.environment.name()),
            issuer = banks.map(|banks| banks.issuer.number()),
            receiver = banks.map(|banks| banks.receiver.number()),
            issuer_evidence = issuer.map(kind),
            receiver_evidence = receiver.map(kind),
            bank_ms = bank_time.map(milliseconds),
            duration_ms = milliseconds(duration),
            client_gone = is_client_gone,
            request_id = self.context.request_id.as_str(),
        );
    }

    /// Records on the request's span what the log line says, without the banks.
    fn trace(&self, status: StatusCode, ending: Ending, admitted: Option<Admitted<'_>>) {
        let span = &self.span;
        if span.is_disabled() {
            return;
        }
        trace::answered(span, status);
        span.record("cep.endpoint", self.endpoint.name());
        span.record("cep.outcome", ending.name());
        if let Some(admitted) = admitted {
            span.record("cep.key_id", display(admitted.key));
            span.record("cep.environment", admitted.environment.name());
        }
    }
}

/// Facts of an admitted request, for the log.
#[derive(Clone, Copy)]
struct Admitted<'a> {
    key: KeyId,
    environment: Environment,
    details: &'a LookupDetails,
}

impl<'a> Admitted<'a> {
    fn of(served: &'a ServedRequest) -> Option<Self> {
        match served {
            ServedRequest::Refused(_) => None,
            ServedRequest::Settled(SettledRequest {
                key,
                environment,
                details,
                ..
            })
            | ServedRequest::Accepted(AcceptedRequest {
                key,
                environment,
                details,
                ..
            }) => Some(Self {
                key: *key,
                environment: *environment,
                details,
            }),
        }
    }
}
