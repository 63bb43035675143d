//! HTTP handling of the creation of a lookup.

use std::sync::Arc;
use std::time::Duration;

use application::{LookupRequest, LookupView};
use axum::extract::Request;
use axum::http::header::{LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use domain::outcome::Endpoint;
use web::Problem;
use web::headers::retry_after_seconds;

use super::session::detached_with_session;
use super::{Call, Head};
use crate::RestState;
use crate::ending::Ending;
use crate::lookups::views::LookupBody;
use crate::lookups::{self, Preference};

/// Minimum `Retry-After`, also used while an attempt is running.
const SOON: Duration = Duration::from_secs(2);

/// Handles a request that creates a lookup.
pub(crate) async fn answer(
    state: Arc<RestState>,
    endpoint: Endpoint,
    request: Request,
) -> Response {
    detached_with_session(&state, endpoint, request, serve).await
}

async fn serve(call: Call) {
    let Call {
        head,
        mut body,
        admission,
        sender,
    } = call;
    let preference = lookups::preference(&body.headers);
    let question = body.json(&head, |body| {
        let question = lookups::read_body(&head.state, &body)?;
        Ok(LookupRequest {
            query: question.query,
            files: question.files,
            retry_for: question.retry_for,
            metadata: question.metadata,
            wait: preference.map(Preference::wait).unwrap_or_default(),
        })
    });
    let served = head.state.proof_requests.create(admission, question);
    let (ended, answer) = head.opened(served.await);
    let response = match answer {
        Ok(Ok(Some(lookup))) => head.created(&lookup, preference),
        // The lookup of the first request has been erased.
        Ok(Ok(None)) if ended.ending == Ending::Repeated => {
            Problem::FirstErased.response(head.context.language)
        }
        Ok(Ok(None)) => Problem::internal(&head.context.request_id).response(head.context.language),
        Ok(Err(error)) => head.no_proof(&error, &ended),
        Err(response) => response,
    };
    head.finish((sender, body), response, &ended).await;
}

impl Head {
    /// The response with a lookup.
    fn created(&self, lookup: &LookupView, preference: Option<Preference>) -> Response {
        let json = match serde_json::to_string(&LookupBody::new(lookup, self.context.language)) {
            Ok(json) => json,
            Err(error) => return self.not_encoded(&error),
        };
        let mut response = web::json_response(json);
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
        response
    }
}
