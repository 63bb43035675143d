//! Answer of a problem: its body, its header fields, and the language that it is read in.

use std::sync::Arc;
use std::time::Duration;

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
    /// Returns the body of the answer.
    pub fn body(&self, language: Language) -> ErrorBody {
        ErrorBody {
            error: self.code().name(),
            message: self.message(language),
            details: self.details(language),
        }
    }

    /// Returns the answer.
    pub fn response(&self, language: Language) -> Response {
        let code = self.code();
        let mut response = crate::json_response(self.bytes(language));
        *response.status_mut() = code.status();
        let headers = response.headers_mut();
        if let Some(retry_after) = self.retry_after() {
            put_retry_after(headers, retry_after);
        }
        if let Some(challenge) = challenge(code) {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        // The rest of the body isn't waited for (RFC 9110, 15.5.9).
        if code == Code::RequestTimeout {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    pub(super) fn bytes(&self, language: Language) -> Vec<u8> {
        serde_json::to_vec(&self.body(language))
            .expect("it has string keys only, and nothing in it can fail")
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. }
            | Self::BankUnavailable { retry_after }
            | Self::BankThrottled { retry_after }
            | Self::Unavailable { retry_after } => Some(*retry_after),
            _ => None,
        }
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

/// A problem on its way through [`crate::observe()`], which knows its reader's language.
#[derive(Clone)]
struct Translatable(Arc<Problem>);

impl IntoResponse for Problem {
    /// The answer in Spanish; [`crate::observe()`] puts it into the caller's language.
    fn into_response(self) -> Response {
        let mut response = self.response(Language::Spanish);
        let translatable = Translatable(Arc::new(self));
        response.extensions_mut().insert(translatable);
        response
    }
}

/// Puts a problem's answer into a language.
pub(crate) fn translate(response: &mut Response, language: Language) {
    let problem = response.extensions_mut().remove::<Translatable>();
    if let (Some(Translatable(problem)), Language::English) = (problem, language) {
        *response.body_mut() = Body::from(problem.bytes(language));
    }
}

/// Challenge of a 401, which must name the way in (RFC 9110, 11.6.1). A browser asks nobody for a
/// password when it doesn't know the scheme.
fn challenge(code: Code) -> Option<&'static str> {
    match code {
        Code::InvalidApiKey => Some("ApiKey realm=\"cep\""),
        Code::Unauthenticated => Some("Cookie realm=\"cep\""),
        _ => None,
    }
}
