//! HTTP response of a problem: its headers and its body in the caller's language.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Code, Details, Problem};
use crate::headers::put_retry_after;
use crate::language::Language;

impl Problem {
    pub fn body(&self, language: Language) -> ErrorBody {
        ErrorBody {
            error: self.code().name(),
            message: self.message(language),
            details: self.details(language),
        }
    }

    pub fn response(&self, language: Language) -> Response {
        let mut response = self.head();
        *response.body_mut() = Body::from(self.bytes(language));
        response
    }

    fn head(&self) -> Response {
        let code = self.code();
        let mut response = crate::json_response(Body::empty());
        *response.status_mut() = code.status();
        response
            .extensions_mut()
            .insert(LoggedProblem(self.logged()));
        let headers = response.headers_mut();
        if let Some(retry_after) = self.retry_after() {
            put_retry_after(headers, retry_after);
        }
        if let Some(challenge) = challenge(self) {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        // The server closes the connection without reading the rest of the body (RFC 9110, 15.5.9).
        if code == Code::RequestTimeout {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The problem without anything that the caller sent: its name, or the fields with the code of each. A name that
    /// the caller may have invented is left out.
    fn logged(&self) -> String {
        let Self::InvalidFields { faults } = self else {
            return self.id().replace('-', "_");
        };
        let told = faults.iter().map(|fault| match fault.field {
            Cow::Borrowed(field) => format!("{field}:{}", fault.problem.code()),
            Cow::Owned(_) => fault.problem.code().to_owned(),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn bytes(&self, language: Language) -> Vec<u8> {
        serde_json::to_vec(&self.body(language))
            .expect("it has string keys only, and nothing in it can fail")
    }
}

/// The body of an error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// The code. It never changes with the language.
    error: &'static str,
    /// Explanation of the error and its remedy, for people.
    message: String,
    details: Details,
}

/// Response extension: the problem whose body [`crate::observe()`] renders in the caller's language.
#[derive(Clone)]
struct Unrendered(Arc<Problem>);

/// Response extension: the problem, for the request's log line.
#[derive(Clone)]
pub struct LoggedProblem(pub String);

impl IntoResponse for Problem {
    /// The response without its body: the route MUST be under [`crate::observe()`], which renders the body
    /// in the caller's language.
    fn into_response(self) -> Response {
        let mut response = self.head();
        response.extensions_mut().insert(Unrendered(Arc::new(self)));
        response
    }
}

/// Renders the body of a response that a [`Problem`] was converted into.
pub(crate) fn render(response: &mut Response, language: Language) {
    if let Some(Unrendered(problem)) = response.extensions_mut().remove() {
        *response.body_mut() = Body::from(problem.bytes(language));
    }
}

/// The `WWW-Authenticate` challenge that a 401 must have (RFC 9110, 11.6.1). Browsers show no password
/// prompt for an unknown scheme.
fn challenge(problem: &Problem) -> Option<&'static str> {
    match problem {
        Problem::InvalidApiKey => Some("ApiKey realm=\"cep\""),
        Problem::Unauthenticated => Some("Cookie realm=\"cep\""),
        Problem::NoCredential => Some("ApiKey realm=\"cep\", Cookie realm=\"cep\""),
        _ => None,
    }
}
