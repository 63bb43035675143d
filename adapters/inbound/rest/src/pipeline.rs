//! HTTP handling shared by proof requests, checks and the creation of lookups.

use std::sync::Arc;

use application::{AdmissionRequest, Question, RequestKey};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use bytes::Bytes;
use domain::calendar;
use domain::outcome::Endpoint;
use domain::query::{ExpectedBeneficiary, ProofQuery};
use futures::FutureExt as _;
use tokio::sync::oneshot;
use tracing::{Instrument as _, Span};
use web::headers::put_common;
use web::problem::{Code, FieldFault, LoggedProblem};
use web::{Problem, RequestContext, Sharing, Upload, trace};

use crate::caller;
use crate::files::{self, Encoding};
use crate::headers;
use crate::json::{self, ReadQuery};
use crate::{MAX_BODY_BYTES, RestState};

mod answers;
mod check;
mod create;
mod ended;
mod receipt;
mod report;
mod session;

pub(crate) use check::{CheckParameters, answer as answer_check};
pub(crate) use create::answer as answer_creation;
use ended::Ended;
pub(crate) use receipt::{ReceiptParameters, answer as answer_receipt};

/// Handles a request of a proof endpoint.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    encoding: Encoding,
    request: Request,
) -> Response {
    detached(&state, endpoint, request, |call| serve(call, encoding)).await
}

/// Serves a request in a separate task, which completes even if the client disconnects. The returned future
/// holds no data of the request, only the context needed for an error response.
fn detached<S, F>(
    state: &Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
    serve: S,
) -> impl Future<Output = Response> + use<S, F>
where
    S: FnOnce(Call) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = oneshot::channel();
    let call = Call::new(state, endpoint, request, sender);
    let (context, span) = (call.head.context.clone(), call.head.span.clone());
    (state.spawn)(serve(call).instrument(span).boxed());
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

async fn serve(call: Call, encoding: Encoding) {
    let Call {
        head,
        mut body,
        admission,
        sender,
    } = call;
    let mut expected = ExpectedBeneficiary::default();
    let question = body.json(&head, |body| {
        let (query, beneficiary) = head.query(&body)?;
        expected = beneficiary;
        Ok(query)
    });
    let served = head.state.proof_requests.serve(admission, question);
    let (ended, answer) = head.opened(served.await);
    let response = match answer {
        Ok(Ok(delivery)) => {
            let told = (&expected, head.context.language);
            let rendered = files::render(encoding, delivery, told).await;
            rendered.unwrap_or_else(|error| head.not_encoded(&error))
        }
        Ok(Err(error)) => head.no_proof(&error, &ended),
        Err(response) => response,
    };
    head.finish((sender, body), response, &ended).await;
}

/// A request, and the channel for its response.
struct Call {
    head: Head,
    body: RequestBody,
    admission: AdmissionRequest,
    sender: oneshot::Sender<Response>,
}

/// Data of a request that its response and its log line need.
struct Head {
    state: Arc<RestState>,
    context: RequestContext,
    span: Span,
    endpoint: Endpoint,
    method: Method,
    path: Option<MatchedPath>,
    /// CORS headers of the response; `None` for a request with an API key.
    sharing: Option<Sharing>,
}

/// The parts of a request that are read only after admission.
struct RequestBody {
    /// The request's headers. They are dropped once the body is read, because their values keep hyper's 8 KiB
    /// read buffer allocated.
    headers: HeaderMap,
    /// The URL's query string.
    query: Option<String>,
    upload: Upload,
    /// A problem of the headers, reported after admission.
    fault: Option<Problem>,
}

impl Call {
    fn new(
        state: &Arc<RestState>,
        endpoint: Endpoint,
        request: Request,
        sender: oneshot::Sender<Response>,
    ) -> Self {
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
        Self {
            admission: AdmissionRequest {
                key: RequestKey::Presented(
                    caller::presented_key(&parts.headers).map(str::to_owned),
                ),
                address,
                endpoint,
                idempotency_key,
                request_id: context.request_id.clone(),
            },
            head: Head {
                state: Arc::clone(state),
                context,
                span,
                endpoint,
                method: parts.method,
                path: parts.extensions.remove(),
                sharing: None,
            },
            body: RequestBody {
                fault,
                upload: Upload::new(&parts.headers, body, request_layer.body_deadline),
                query: parts.uri.query().map(str::to_owned),
                headers: parts.headers,
            },
            sender,
        }
    }
}

impl RequestBody {
    /// The question in a JSON body.
    fn json<'a, Q>(
        &'a mut self,
        head: &'a Head,
        parse: impl FnOnce(Bytes) -> Result<Q, Problem> + Send + 'a,
    ) -> Question<'a, Q, Problem> {
        let Self {
            headers,
            query,
            upload,
            fault,
        } = self;
        Question {
            body: async {
                if let Some(problem) = fault.take() {
                    return Err(problem);
                }
                let headers = std::mem::take(headers);
                upload.read(&headers, MAX_BODY_BYTES).await
            }
            .boxed(),
            content: Box::new(|body| {
                let canonical = body.ok().and_then(json::canonical);
                head.content(query.as_deref(), canonical.as_deref().map_or(body, Ok))
            }),
            parse: Box::new(parse),
        }
    }
}

impl RequestBody {
    /// The question for a file of at most `max_bytes`, with parameters, which are parsed before the body is read.
    fn file<'a, P: 'a, Q>(
        &'a mut self,
        head: &'a Head,
        max_bytes: usize,
        parameters: fn(Option<&str>) -> Result<P, Problem>,
        parse: impl FnOnce(P, Bytes) -> Result<Q, Problem> + Send + 'a,
    ) -> Question<'a, Q, Problem> {
        let Self {
            headers,
            query,
            upload,
            fault,
        } = self;
        let query = query.as_deref();
        Question {
            body: async move {
                if let Some(problem) = fault.take() {
                    return Err(problem);
                }
                parameters(query)?;
                let headers = std::mem::take(headers);
                let bounds = (max_bytes, &head.state.file_memory);
                upload.read_file(&headers, bounds).await
            }
            .boxed(),
            content: Box::new(move |body| head.content(query, body)),
            parse: Box::new(move |file| parse(parameters(query)?, file)),
        }
    }
}

impl Head {
    /// Sends the response, logs it, and drains the rest of the body.
    async fn finish(
        &self,
        (sender, mut body): (oneshot::Sender<Response>, RequestBody),
        mut response: Response,
        ended: &Ended,
    ) {
        ended.put(response.headers_mut());
        if let Some(sharing) = &self.sharing {
            sharing.put(response.headers_mut());
        }
        put_common(response.headers_mut(), self.context.id_value());
        let status = response.status();
        let problem = response.extensions_mut().remove::<LoggedProblem>();
        let is_client_gone = sender.send(response).is_err();
        self.report((status, problem), is_client_gone, ended);
        body.upload.drain().await;
    }

    /// Method, path, query string and body, which identify a repeated request. A body that was refused unread is
    /// identified by its refusal; `None` if it didn't arrive, or could not be held.
    fn content(&self, query: Option<&str>, body: Result<&[u8], &Problem>) -> Option<Vec<u8>> {
        let body = match body {
            Ok(body) => body,
            Err(Problem::IncompleteBody) => return None,
            Err(refusal) => match refusal.code() {
                code @ (Code::PayloadTooLarge
                | Code::UnsupportedMediaType
                | Code::InvalidRequest) => code.name().as_bytes(),
                _ => return None,
            },
        };
        // The endpoint's name is used as path, because the URL's path may have the prefix `/api`.
        let (method, path) = (&self.method, self.endpoint.name());
        let query = query.unwrap_or_default();
        let mut content = format!("{method}\n{path}?{query}\n").into_bytes();
        content.extend_from_slice(body);
        Some(content)
    }

    /// Parses a body, and reports all invalid fields at once.
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
        // Other endpoints ignore the beneficiary, like any unknown member.
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
