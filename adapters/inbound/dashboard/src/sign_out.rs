//! `POST /logout`: ends the session in the gateway and, if possible, at the identity provider.

use std::sync::Arc;
use std::time::Duration;

use application::SessionError;
use axum::extract::{Extension, State};
use axum::http::header::{ACCEPT, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use serde::Serialize;
use web::{Chain, Problem, RequestContext};

use crate::{DASHBOARD_PATH, DashboardState, see_other};

/// `Retry-After` when the store fails: the usual time of a database restart.
const RETRY_AFTER: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct SignedOut {
    /// URL at which the provider ends its own session; null if the provider has none.
    sign_out_url: Option<String>,
}

/// Ends the session. Without a session it also succeeds.
pub(crate) async fn end(
    State(state): State<Arc<DashboardState>>,
    Extension(context): Extension<RequestContext>,
    headers: HeaderMap,
) -> Response {
    if web::is_cross_site(&headers, &state.site) {
        return Problem::CrossSite.response(context.language);
    }
    let ended = match state.site.session_cookie().read(&headers) {
        Some(token) => state.sessions.end(token).await,
        None => Ok(None),
    };
    let mut response = match ended {
        Ok(provider) => signed_out(provider, &headers),
        Err(error) => return not_ended(&error, &context),
    };
    let forget = state.site.session_cookie().clear();
    response.headers_mut().append(SET_COOKIE, forget);
    response
}

/// The response of success: a redirect for a form, or JSON with the URL for a script.
fn signed_out(provider: Option<String>, headers: &HeaderMap) -> Response {
    if !navigates(headers) {
        let body = SignedOut {
            sign_out_url: provider,
        };
        let body = serde_json::to_vec(&body).expect("it is one text, or null");
        return web::json_response(body);
    }
    let location = provider.and_then(|url| HeaderValue::try_from(url).ok());
    see_other(location.unwrap_or(HeaderValue::from_static(DASHBOARD_PATH)))
}

/// The response when the session could not be ended. The cookie is kept: the token is still valid, and the
/// user can try again.
fn not_ended(error: &SessionError, context: &RequestContext) -> Response {
    if let &SessionError::TooManyRequests { limit, retry_after } = error {
        return Problem::TooManyRequests { limit, retry_after }.response(context.language);
    }
    let (request_id, cause) = (&context.request_id, Chain(error));
    tracing::error!(%request_id, %cause, "a session could not be ended");
    let retry_after = RETRY_AFTER;
    Problem::Unavailable { retry_after }.response(context.language)
}

/// True if the browser renders the response as a page.
fn navigates(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|value| value.split([',', ';']))
        .any(|part| part.trim() == "text/html")
}
