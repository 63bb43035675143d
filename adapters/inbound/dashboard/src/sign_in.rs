//! `/login` and `/auth/callback`: sign-in at the identity provider.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use application::{Session, SignInAnswer, SignInError};
use axum::extract::{Extension, RawQuery, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use url::form_urlencoded;
use web::{CallerAddress, Chain, CookieError, RequestContext};

use crate::error_page::error_page;
use crate::error_text::SignInFailure;
use crate::failure_log::FailureLog;
use crate::return_to::{return_location, return_path};
use crate::{DASHBOARD_PATH, DashboardState, see_other};

/// Maximum duration of a sign-in, and lifetime of the cookie that binds it to its browser.
const SIGN_IN_TIME: Duration = Duration::from_mins(10);

/// Starts a sign-in that returns to `return_to`, or to the dashboard if that isn't a path of our origin.
pub(crate) async fn begin(
    State(state): State<Arc<DashboardState>>,
    Extension(context): Extension<RequestContext>,
    Extension(failures): Extension<FailureLog>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let return_to = single_parameter(&query, "return_to");
    let return_to = return_path(
        return_to.as_deref().unwrap_or(DASHBOARD_PATH),
        state.site.public(),
    );
    let sign_in = match state.sessions.begin(&return_to).await {
        Ok(sign_in) => sign_in,
        Err(error) => return failed((&state, &failures), &error, &context),
    };
    let cookie = state
        .site
        .sign_in_cookie()
        .set(&sign_in.binding, SIGN_IN_TIME);
    let (Ok(location), Ok(cookie)) = (HeaderValue::try_from(sign_in.redirect), cookie) else {
        tracing::error!(request_id = %context.request_id, "a sign-in can't be written into headers");
        return error_page(&SignInFailure::Unusable, &context);
    };
    let mut response = see_other(location);
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}

/// Completes a sign-in. The binding cookie is deleted only on success: on failure, the browser may have
/// started another sign-in in another tab, which still needs it. An unused cookie expires.
pub(crate) async fn finish(
    State(state): State<Arc<DashboardState>>,
    Extension(context): Extension<RequestContext>,
    Extension(failures): Extension<FailureLog>,
    RawQuery(query): RawQuery,
    address: Option<Extension<CallerAddress>>,
    headers: HeaderMap,
) -> Response {
    let address = CallerAddress::known(address.map(|Extension(address)| address));
    let query = query.unwrap_or_default();
    let session = match redeemed(&state, (&headers, &query), address).await {
        Ok(session) => session,
        Err(error) => return failed((&state, &failures), &error, &context),
    };
    let mut response = signed_in(&state, &session, &context);
    let forget = state.site.sign_in_cookie().clear();
    response.headers_mut().append(SET_COOKIE, forget);
    response
}

async fn redeemed(
    state: &DashboardState,
    (headers, query): (&HeaderMap, &str),
    address: IpAddr,
) -> Result<Session, SignInError> {
    let code = single_parameter(query, "code");
    let error = single_parameter(query, "error");
    let outcome = match (&error, &code) {
        (Some(error), _) => Err(error.as_str()),
        (None, Some(code)) => Ok(code.as_str()),
        (None, None) => return Err(SignInError::NotUnderWay),
    };
    let state_text = single_parameter(query, "state").ok_or(SignInError::NotUnderWay)?;
    let binding = state.site.sign_in_cookie().read(headers);
    let issuer = single_parameter(query, "iss");
    let answer = SignInAnswer {
        state: &state_text,
        outcome,
        issuer: issuer.as_deref(),
        binding: binding.ok_or(SignInError::NotUnderWay)?,
        address,
    };
    state.sessions.finish(answer).await
}

fn signed_in(state: &DashboardState, session: &Session, context: &RequestContext) -> Response {
    let remaining = (session.expires_at - state.clock.now())
        .to_std()
        .unwrap_or_default();
    let cookie = match state.site.session_cookie().set(&session.token, remaining) {
        Ok(cookie) => cookie,
        Err(error) => {
            let request_id = &context.request_id;
            tracing::error!(%request_id, %error, "the provider's access token is no session");
            return error_page(&cookie_failure(error), context);
        }
    };
    let mut response = see_other(return_location(&session.return_to, state.site.public()));
    response.headers_mut().append(SET_COOKIE, cookie);
    response
}

fn cookie_failure(error: CookieError) -> SignInFailure {
    match error {
        CookieError::TooLarge { bytes } => SignInFailure::TooLarge { bytes },
        CookieError::Character => SignInFailure::Unusable,
    }
}

fn failed(
    (state, failures): (&DashboardState, &FailureLog),
    error: &SignInError,
    context: &RequestContext,
) -> Response {
    if let Some(untold) = failures.count(state.clock.monotonic()) {
        let cause = Chain(error);
        tracing::warn!(request_id = %context.request_id, %cause, untold, "a sign-in failed");
    }
    let failure = match error {
        SignInError::NotUnderWay => SignInFailure::NotUnderWay,
        SignInError::Refused(code) => SignInFailure::Refused(is_code(code).then(|| code.clone())),
        SignInError::Unusable(_) => SignInFailure::Unusable,
        SignInError::Busy { retry_after } => SignInFailure::Busy {
            retry_after: *retry_after,
        },
        SignInError::Unavailable(_) => SignInFailure::Unavailable,
    };
    error_page(&failure, context)
}

/// True for an error code such as `access_denied`. Other text isn't shown, since an attacker could have
/// written it.
fn is_code(text: &str) -> bool {
    let is_of_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=60).contains(&text.len()) && text.bytes().all(is_of_code)
}

/// The value of a parameter that occurs exactly once (RFC 6749, 3.1) and isn't empty.
fn single_parameter(query: &str, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes())
        .filter_map(|(given, value)| (given == name).then(|| value.into_owned()));
    match (values.next(), values.next()) {
        (Some(value), None) if !value.is_empty() => Some(value),
        _ => None,
    }
}
