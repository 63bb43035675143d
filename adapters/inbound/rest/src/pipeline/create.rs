//! The creation of a lookup over HTTP.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::Request;
use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use domain::inference::InferredBanks;
use domain::outcome::Endpoint;
use ports::inbound::{
    FetchError, InvalidRequest, LookupExchange, LookupRequest, LookupView, RepeatableExchange,
    ServedRequest,
};
use web::headers::retry_after_seconds;
use web::{Problem, RequestContext};

use super::{Call, Head, respond};
use crate::lookups::views::LookupBody;
use crate::lookups::{self, Preference};
use crate::{RestState, failure};

/// `Retry-After` while an attempt is made.
const SOON: Duration = Duration::from_secs(2);

/// Answers a request with the lookup that it creates.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
) -> Response {
    respond(&state, endpoint, request, |requests, admission, call| {
        let exchange = Exchange {
            preference: lookups::preference(&call.headers),
            call,
            problem: None,
        };
        requests.create(admission, Box::new(exchange));
    })
    .await
}

/// A request that creates a lookup, over HTTP.
struct Exchange {
    call: Call,
    preference: Option<Preference>,
    /// Its fault.
    problem: Option<Problem>,
}

#[async_trait]
impl RepeatableExchange for Exchange {
    async fn content(&mut self) -> Option<Vec<u8>> {
        self.call.content().await
    }
}

#[async_trait]
impl LookupExchange for Exchange {
    async fn decode(&mut self) -> Result<LookupRequest, InvalidRequest> {
        let read = self.call.json().await;
        let question = read.and_then(|body| lookups::read_body(&self.call.head.state, &body));
        let question = question.map_err(|problem| {
            self.problem = Some(problem);
            InvalidRequest
        })?;
        Ok(LookupRequest {
            query: question.query,
            files: question.files,
            retry_for: question.retry_for,
            metadata: question.metadata,
            wait: self.preference.map(Preference::wait).unwrap_or_default(),
        })
    }

    fn refuse(&mut self, error: &FetchError, inferred: &InferredBanks) {
        let endpoint = self.call.head.endpoint;
        self.problem = Some(failure::of_fetch(error, inferred, endpoint));
    }

    async fn finish(self: Box<Self>, served: ServedRequest, created: Option<LookupView>) {
        let Self {
            call,
            preference,
            problem,
        } = *self;
        let head = &call.head;
        let encoded = match (problem, created) {
            (Some(problem), _) => Some(problem.response(head.context.language)),
            (None, Some(lookup)) => head.created(&lookup, preference),
            // It was erased since.
            (None, None) if matches!(served, ServedRequest::Repeated(_)) => {
                Some(Problem::NoSuchLookup.response(head.context.language))
            }
            (None, None) => None,
        };
        call.finish(&served, encoded).await;
    }
}

impl Head {
    /// The answer with a lookup; `None` when it can't be written.
    fn created(&self, lookup: &LookupView, preference: Option<Preference>) -> Option<Response> {
        let RequestContext {
            request_id,
            language,
            ..
        } = &self.context;
        let json = serde_json::to_string(&LookupBody::new(lookup, *language));
        let json = json.inspect_err(|error| {
            tracing::error!(%request_id, %error, "a lookup can't be written");
        });
        let mut response = web::json_response(json.ok()?);
        let headers = response.headers_mut();
        headers.insert(LOCATION, lookups::location(lookup.id));
        if let Some(preference) = preference {
            preference.put(headers);
        }
        if !lookup.state.is_final() {
            let now = self.state.request_layer.clock.now();
            let wait = lookup.next_attempt_at.map(|at| at - now);
            let wait = wait.and_then(|wait| wait.to_std().ok());
            let wait = retry_after_seconds(wait.unwrap_or(SOON).max(SOON));
            headers.insert(RETRY_AFTER, HeaderValue::from(wait));
            *response.status_mut() = StatusCode::ACCEPTED;
        }
        Some(response)
    }
}
