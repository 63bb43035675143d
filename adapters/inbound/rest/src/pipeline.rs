//! A proof request over HTTP: decodes it for [`ports::inbound::ProofRequests`], and encodes what
//! that answers.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use bytes::Bytes;
use domain::calendar;
use domain::inference::InferredBanks;
use domain::outcome::Endpoint;
use domain::query::{ExpectedBeneficiary, ProofQuery};
use ports::Cause;
use ports::inbound::{
    AdmissionRequest, Delivery, FetchError, InvalidRequest, ProofExchange, ProofRequests,
    RepeatableExchange, ServedRequest,
};
use tokio::sync::oneshot;
use tracing::Span;
use web::headers::put_common;
use web::problem::FieldFault;
use web::{Problem, RequestContext, Upload, trace};

use crate::caller;
use crate::failure;
use crate::files::{self, Encoding};
use crate::headers;
use crate::json::{self, ReadQuery};
use crate::{MAX_BODY_BYTES, RestState};

mod answers;
mod check;
mod content;
mod create;
mod report;

pub(crate) use check::answer as answer_check;
pub(crate) use create::answer as answer_creation;

/// Answers a request of an endpoint with a proof in its encoding.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    encoding: Encoding,
    request: Request,
) -> Response {
    respond(&state, endpoint, request, |requests, admission, call| {
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

/// Starts a request. Its answer is waited for without anything of the request.
fn respond(
    state: &Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
    start: impl FnOnce(&dyn ProofRequests, AdmissionRequest, Call),
) -> impl Future<Output = Response> {
    let request_layer = &state.request_layer;
    let context = RequestContext::new(
        request.headers(),
        &*request_layer.clock,
        &*request_layer.random,
    );
    let span = trace::request_span(&request, &context, &*request_layer.trace_context);
    let address = caller::address(&request);
    let (mut parts, body) = request.into_parts();
    let (idempotency_key, fault) = match headers::idempotency_key(&parts.headers) {
        Ok(key) => (key, None),
        Err(problem) => (None, Some(problem)),
    };
    let admission_request = AdmissionRequest {
        presented_key: caller::presented_key(&parts.headers).map(str::to_owned),
        address,
        endpoint,
        idempotency_key,
        request_id: context.request_id.clone(),
    };
    let (sender, receiver) = oneshot::channel();
    let call = Call {
        fault,
        upload: Upload::new(&parts.headers, body, request_layer.body_deadline),
        sender,
        head: Head {
            state: Arc::clone(state),
            context: context.clone(),
            span: span.clone(),
            endpoint,
            method: parts.method,
            path: parts.extensions.remove(),
        },
        query: parts.uri.query().map(str::to_owned),
        headers: parts.headers,
    };
    span.in_scope(|| start(&*state.proof_requests, admission_request, call));
    async move {
        if let Ok(response) = receiver.await {
            return response;
        }
        tracing::error!(request_id = %context.request_id, "a proof request's task panicked");
        let mut response = Problem::internal(&context.request_id).response(context.language);
        put_common(response.headers_mut(), context.id_value());
        response
    }
}

/// One request over HTTP, and the way of its answer.
struct Call {
    head: Head,
    /// The request's headers. Decoding takes them, because their values keep the 8 KiB allocated that hyper
    /// read them into.
    headers: HeaderMap,
    /// The query of its URL.
    query: Option<String>,
    upload: Upload,
    sender: oneshot::Sender<Response>,
    /// A fault that was found before the request was decoded.
    fault: Option<Problem>,
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

/// Facts of a request that its answer and its line of the log need.
struct Head {
    state: Arc<RestState>,
    context: RequestContext,
    span: Span,
    endpoint: Endpoint,
    method: Method,
    path: Option<MatchedPath>,
}

#[async_trait]
impl RepeatableExchange for Exchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        self.call.content().await
    }
}

#[async_trait]
impl ProofExchange for Exchange {
    async fn decode(&mut self) -> Result<ProofQuery, InvalidRequest> {
        match self.call.query().await {
            Ok((query, expected)) => {
                self.expected = expected;
                Ok(query)
            }
            Err(problem) => {
                self.encoded = Some(problem.response(self.call.head.context.language));
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
            Ok(delivery) => {
                files::render(self.encoding, delivery, (&self.expected, context.language))
                    .await
                    .map_err(|error| Arc::new(error) as Cause)?
            }
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
    /// The JSON in the body.
    async fn json(&mut self) -> Result<Bytes, Problem> {
        if let Some(problem) = self.fault.take() {
            return Err(problem);
        }
        let headers = std::mem::take(&mut self.headers);
        self.upload.read(&headers, MAX_BODY_BYTES).await
    }

    /// Reads the body and checks all of its fields.
    async fn query(&mut self) -> Result<(ProofQuery, ExpectedBeneficiary), Problem> {
        let body = self.json().await?;
        self.head.query(&body)
    }

    /// Sends the answer and reports it; then takes in what is left of the body.
    async fn finish(self, served: &ServedRequest, encoded: Option<Response>) {
        let Self {
            head,
            mut upload,
            sender,
            ..
        } = self;
        let mut response = match served {
            ServedRequest::Refused(error) => head.refusal(error),
            ServedRequest::Settled(settled) => head.reply(settled, encoded),
            ServedRequest::Accepted(accepted) => head.accepted(accepted, encoded),
            ServedRequest::Repeated(repeated) => head.repeated(repeated, encoded),
            ServedRequest::NotRepeated(not_repeated) => head.not_repeated(not_repeated),
        };
        put_common(response.headers_mut(), head.context.id_value());
        let status = response.status();
        let is_client_gone = sender.send(response).is_err();
        head.report(status, is_client_gone, served);
        upload.drain().await;
    }
}

impl Head {
    /// Checks all fields of a body.
    fn query(&self, body: &[u8]) -> Result<(ProofQuery, ExpectedBeneficiary), Problem> {
        let ReadQuery {
            query: raw,
            beneficiary,
            unknown,
        } = json::read_query(body)?;
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
            (Ok(query), Ok(expected)) if unknown.is_empty() => Ok((query, expected)),
            (query, expected) => {
                let errors = query.err().into_iter().chain(expected.err());
                let errors: Vec<_> = errors.flatten().collect();
                let errors = errors.iter().map(FieldFault::from);
                Err(Problem::invalid_fields(errors.chain(unknown)))
            }
        }
    }
}
