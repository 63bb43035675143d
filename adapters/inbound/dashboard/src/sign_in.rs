//! `/login` and `/auth/callback`: to the identity provider, and back with a session.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, RawQuery, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use ports::inbound::{Session, SignInAnswer, SignInError};
use url::form_urlencoded;
use web::{Chain, CookieError, RequestContext};

use crate::error_page::error_page;
use crate::return_to::{location_of, place_of};
use crate::words::Trouble;
use crate::{DASHBOARD_PATH, DashboardState, see_other};

/// A sign-in is good for ten minutes, and so is what binds it to its browser.
const SIGN_IN_TIME: Duration = Duration::from_mins(10);

/// Begins a sign-in that ends at `return_to`, the dashboard when that is no place of ours.
pub(crate) async fn begin(
    State(state): State<Arc<DashboardState>>,
    Extension(call): Extension<RequestContext>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let wanted = the_one(&query, "return_to");
    let wanted = place_of(
        wanted.as_deref().unwrap_or(DASHBOARD_PATH),
        state.site.public(),
    );
    let sign_in = match state.sessions.begin(&wanted).await {
        Ok(sign_in) => sign_in,
        Err(error) => return failed(&error, &call),
    };
    let cookie = state
        .site
        .sign_in_cookie()
        .set(&sign_in.binding, SIGN_IN_TIME);
    let (Ok(location), Ok(cookie)) = (HeaderValue::try_from(sign_in.redirect), cookie) else {
        tracing::error!(request_id = %call.request_id, "a sign-in can't be written into headers");
        return error_page(&Trouble::Unusable, &call);
    };
    let mut response = see_other(location);
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}

/// Ends a sign-in. A browser keeps its part of it until there is an answer that fits: it may have
/// begun another sign-in since, in another tab, and that one's answer is still to come. What is
/// kept in vain expires by itself.
pub(crate) async fn finish(
    State(state): State<Arc<DashboardState>>,
    Extension(call): Extension<RequestContext>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let session = match redeemed(&state, &headers, &query.unwrap_or_default()).await {
        Ok(session) => session,
        Err(error) => return failed(&error, &call),
    };
    let mut response = entered(&state, &session, &call);
    let forget = state.site.sign_in_cookie().clear();
    response.headers_mut().append(SET_COOKIE, forget);
    response
}

async fn redeemed(
    state: &DashboardState,
    headers: &HeaderMap,
    query: &str,
) -> Result<Session, SignInError> {
    let code = the_one(query, "code");
    let error = the_one(query, "error");
    let outcome = match (&error, &code) {
        (Some(error), _) => Err(error.as_str()),
        (None, Some(code)) => Ok(code.as_str()),
        (None, None) => return Err(SignInError::NotUnderWay),
    };
    let state_text = the_one(query, "state").ok_or(SignInError::NotUnderWay)?;
    let binding = state.site.sign_in_cookie().read(headers);
    let answer = SignInAnswer {
        state: &state_text,
        outcome,
        binding: binding.ok_or(SignInError::NotUnderWay)?,
    };
    state.sessions.finish(answer).await
}

fn entered(state: &DashboardState, session: &Session, call: &RequestContext) -> Response {
    let left = (session.expires_at - state.clock.now())
        .to_std()
        .unwrap_or_default();
    let cookie = match state.site.session_cookie().set(&session.token, left) {
        Ok(cookie) => cookie,
        Err(error) => {
            let request_id = &call.request_id;
            tracing::error!(%request_id, %error, "the provider's access token is no session");
            return error_page(&of_cookie(error), call);
        }
    };
    let mut response = see_other(location_of(&session.return_to, state.site.public()));
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}

fn of_cookie(error: CookieError) -> Trouble {
    match error {
        CookieError::TooLarge { bytes } => Trouble::TooLarge { bytes },
        CookieError::Character => Trouble::Unusable,
    }
}

fn failed(error: &SignInError, call: &RequestContext) -> Response {
    let cause = Chain(error);
    tracing::warn!(request_id = %call.request_id, %cause, "a sign-in failed");
    let trouble = match error {
        SignInError::NotUnderWay => Trouble::NotUnderWay,
        SignInError::Refused(code) => Trouble::Refused(is_code(code).then(|| code.clone())),
        SignInError::Unusable(_) => Trouble::Unusable,
        SignInError::Unavailable(_) => Trouble::Unavailable,
    };
    error_page(&trouble, call)
}

/// Whether a text is a code such as `access_denied`: anything else may be anybody's message to the
/// person who reads the page.
fn is_code(text: &str) -> bool {
    let is_of_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=60).contains(&text.len()) && text.bytes().all(is_of_code)
}

/// The value of a parameter that stands there exactly once (RFC 6749, 3.1) and isn't empty.
fn the_one(query: &str, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes())
        .filter_map(|(given, value)| (given == name).then(|| value.into_owned()));
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value),
        _ => None,
    }
}
