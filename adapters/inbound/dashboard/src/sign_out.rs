//! `POST /logout`: the session ends here and, where it can, at the provider.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::header::{ACCEPT, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use ports::inbound::SessionError;
use serde::Serialize;
use web::{Chain, Problem, RequestContext};

use crate::{DASHBOARD_PATH, DashboardState, see_other};

/// A database that restarts is usually back by then.
const RETRY_AFTER: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct SignedOut {
    /// Where the provider ends its own session; `null` when it offers no such place.
    sign_out_url: Option<String>,
}

/// Ends the session, if there is one; ending none is no error.
pub(crate) async fn end(
    State(state): State<Arc<DashboardState>>,
    Extension(call): Extension<RequestContext>,
    headers: HeaderMap,
) -> Response {
    if web::is_cross_site(&headers, &state.site) {
        return Problem::CrossSite.response(call.language);
    }
    let ended = match state.site.session_cookie().read(&headers) {
        Some(token) => state.sessions.end(token).await,
        None => Ok(None),
    };
    let mut response = match ended {
        Ok(provider) => signed_out(provider, &headers),
        Err(error) => return not_ended(&error, &call),
    };
    let forget = state.site.session_cookie().clear();
    response.headers_mut().append(SET_COOKIE, forget);
    response
}

/// A form is sent on its way; a script is told where that leads.
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

/// The cookie stays, so that the person can try again: the token would still be good.
fn not_ended(error: &SessionError, call: &RequestContext) -> Response {
    let (request_id, cause) = (&call.request_id, Chain(error));
    tracing::error!(%request_id, %cause, "a session could not be ended");
    Problem::Unavailable {
        retry_after: RETRY_AFTER,
    }
    .response(call.language)
}

/// Whether the browser shows the answer as a page.
fn navigates(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accepted
        .flat_map(|value| value.split([',', ';']))
        .any(|part| part.trim() == "text/html")
}
