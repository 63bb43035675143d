//! Builds HTTP responses: JSON, pages, redirects.

use axum::Json;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};
use url::Url;

const NO_STORE: (HeaderName, &str) = (CACHE_CONTROL, "no-store");
const NO_SNIFFING: (HeaderName, &str) = (X_CONTENT_TYPE_OPTIONS, "nosniff");

/// Error of the token endpoint (RFC 6749, 5.2).
#[derive(Clone, Copy, Debug)]
pub(crate) enum OAuthError {
    InvalidRequest(&'static str),
    InvalidClient,
    InvalidGrant(&'static str),
    UnsupportedGrantType,
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let (status, code, description) = match self {
            Self::InvalidRequest(why) => (StatusCode::BAD_REQUEST, "invalid_request", why),
            Self::InvalidClient => (
                StatusCode::UNAUTHORIZED,
                "invalid_client",
                "client_id or client_secret is missing or wrong",
            ),
            Self::InvalidGrant(why) => (StatusCode::BAD_REQUEST, "invalid_grant", why),
            Self::UnsupportedGrantType => (
                StatusCode::BAD_REQUEST,
                "unsupported_grant_type",
                "grant_type must be authorization_code",
            ),
        };
        let body = Json(json!({ "error": code, "error_description": description }));
        let mut answer = (status, [NO_STORE], body).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Basic realm=\"sandbox\"");
            answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        answer
    }
}

/// Returns JSON that must not be cached.
pub(crate) fn tokens_json(body: &Value) -> Response {
    ([NO_STORE], Json(body)).into_response()
}

/// Returns a page whose forms may submit to the provider and redirect to `form_target`. Browsers apply
/// the `form-action` policy also to a redirect after a form.
pub(crate) fn page(status: StatusCode, html: String, form_target: Option<&Url>) -> Response {
    let target = form_target.map_or_else(String::new, |url| {
        format!(" {}", url.origin().ascii_serialization())
    });
    let policy = format!(
        "default-src 'none'; style-src 'self'; form-action 'self'{target}; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    let headers = [
        (CONTENT_SECURITY_POLICY, policy),
        // The URL contains the state of a sign-in, which must not leak.
        (REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    (status, [NO_STORE, NO_SNIFFING], headers, Html(html)).into_response()
}

/// Returns a 303 redirect, which browsers follow with GET after a form.
pub(crate) fn redirect(to: &Url) -> Response {
    let headers = [NO_STORE, (REFERRER_POLICY, "no-referrer")];
    let location = [(LOCATION, to.as_str().to_owned())];
    (StatusCode::SEE_OTHER, headers, location).into_response()
}

/// Returns the style sheet of the pages.
pub(crate) async fn style() -> Response {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), NO_SNIFFING];
    (headers, include_str!("style.css")).into_response()
}
