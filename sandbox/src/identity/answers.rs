//! The forms that answers take: JSON of the standards, pages, redirects.

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

/// Why there are no tokens (RFC 6749, 5.2).
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

/// JSON that no cache may keep.
pub(crate) fn tokens_json(body: &Value) -> Response {
    ([NO_STORE], Json(body)).into_response()
}

/// A page whose forms lead to ourselves and, from there, to `form_targets`: browsers hold a
/// redirect after a form to the same policy.
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
        // The address holds the state of a sign-in; nobody else needs it.
        (REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    (status, [NO_STORE, NO_SNIFFING], headers, Html(html)).into_response()
}

/// Sends the browser elsewhere; after a form it goes there with GET.
pub(crate) fn redirect(to: &Url) -> Response {
    let headers = [NO_STORE, (REFERRER_POLICY, "no-referrer")];
    let location = [(LOCATION, to.as_str().to_owned())];
    (StatusCode::SEE_OTHER, headers, location).into_response()
}

/// The style sheet of the pages.
pub(crate) async fn style() -> Response {
    let headers = [(CONTENT_TYPE, "text/css; charset=utf-8"), NO_SNIFFING];
    (headers, include_str!("style.css")).into_response()
}
