//! Errors as the APIs tell them: one body, whatever went wrong.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use domain::request::RequestId;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::body::BodyFault;
use crate::code::Code;
use crate::headers::{put_retry_after, retry_after_seconds};
use crate::language::Language;

/// Where a browser gets a session.
pub const SIGN_IN_PATH: &str = "/login";

/// An error on its way out.
#[derive(Debug)]
pub struct Failure {
    code: Code,
    message: Cow<'static, str>,
    details: Option<Box<RawValue>>,
    retry_after: Option<Duration>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: &'static str,
    message: &'a str,
    details: &'a Details<'a>,
}

/// Free-form additional members.
#[derive(Serialize)]
#[serde(untagged)]
enum Details<'a> {
    Some(&'a RawValue),
    None {},
}

impl Failure {
    /// An error without details.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            details: None,
            retry_after: None,
        }
    }

    /// With these members of `details`, in the order in which they are written.
    #[must_use]
    pub fn with(mut self, details: &impl Serialize) -> Self {
        self.details = to_raw_value(details)
            .inspect_err(|error| tracing::error!(%error, "an error's details can't be written"))
            .ok();
        self
    }

    /// With the time after which to try again.
    #[must_use]
    pub fn after(mut self, retry_after: Duration) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    /// A body that can't be had, of at most `max_bytes` and within `deadline`.
    pub fn of_body(
        fault: BodyFault,
        max_bytes: usize,
        deadline: Duration,
        language: Language,
    ) -> Self {
        #[derive(Serialize)]
        struct TooLarge {
            max_bytes: usize,
        }
        let messages = language.messages();
        match fault {
            BodyFault::MediaType => Self::media_type(language),
            BodyFault::TooLarge => Self::new(Code::PayloadTooLarge, messages.too_large(max_bytes))
                .with(&TooLarge { max_bytes }),
            BodyFault::TimedOut => Self::new(
                Code::RequestTimeout,
                messages.request_timeout(deadline.as_secs()),
            ),
            BodyFault::Broken => {
                Self::new(Code::InvalidRequest, messages.interrupted_body()).with(&Reason {
                    reason: "incomplete_body",
                })
            }
        }
    }

    /// A body that is no JSON, by its own declaration.
    pub fn media_type(language: Language) -> Self {
        #[derive(Serialize)]
        struct MediaType {
            accepted: &'static str,
        }
        Self::new(Code::UnsupportedMediaType, language.messages().media_type()).with(&MediaType {
            accepted: "application/json",
        })
    }

    /// No session, or none that is good: nobody is told which.
    pub fn unauthenticated(language: Language) -> Self {
        #[derive(Serialize)]
        struct SignIn {
            sign_in: &'static str,
        }
        Self::new(Code::Unauthenticated, language.messages().unauthenticated()).with(&SignIn {
            sign_in: SIGN_IN_PATH,
        })
    }

    /// A request that a page of somebody else's had a browser send.
    pub fn cross_site(language: Language) -> Self {
        Self::new(Code::Forbidden, language.messages().cross_site()).with(&Reason {
            reason: "cross_site",
        })
    }

    /// Something that we stand on can't be reached.
    pub fn unavailable(retry_after: Duration, language: Language) -> Self {
        let seconds = retry_after_seconds(retry_after);
        let message = language.messages().service_unavailable(seconds);
        Self::new(Code::ServiceUnavailable, message).after(retry_after)
    }

    /// A fault of ours.
    pub fn internal(id: &RequestId, language: Language) -> Self {
        #[derive(Serialize)]
        struct Internal<'a> {
            request_id: &'a str,
        }
        Self::new(Code::InternalError, language.messages().internal_error()).with(&Internal {
            request_id: id.as_str(),
        })
    }

    /// No such route.
    pub fn route_not_found(language: Language) -> Self {
        Self::new(Code::RouteNotFound, language.messages().route_not_found())
    }

    /// No such method on this route.
    pub fn method_not_allowed(language: Language) -> Self {
        let message = language.messages().method_not_allowed();
        Self::new(Code::MethodNotAllowed, message)
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The body, as JSON.
    pub fn body(&self) -> Vec<u8> {
        let details = self.details.as_deref();
        let body = ErrorBody {
            error: self.code.name(),
            message: &self.message,
            details: &details.map_or(Details::None {}, Details::Some),
        };
        serde_json::to_vec(&body).expect("it has string keys only, and nothing in it can fail")
    }

    /// The answer.
    pub fn into_response(self) -> Response {
        let mut response = crate::json_response(self.body());
        *response.status_mut() = self.code.status();
        let headers = response.headers_mut();
        if let Some(retry_after) = self.retry_after {
            put_retry_after(headers, retry_after);
        }
        if let Some(challenge) = challenge(self.code) {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        // The rest of the body isn't waited for (RFC 9110, 15.5.9).
        if self.code == Code::RequestTimeout {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        Self::into_response(self)
    }
}

/// What exactly, for machines.
#[derive(Serialize)]
struct Reason {
    reason: &'static str,
}

/// What a 401 must say about the way in (RFC 9110, 11.6.1). A browser asks nobody for a password
/// when it doesn't know the scheme.
fn challenge(code: Code) -> Option<&'static str> {
    match code {
        Code::InvalidApiKey => Some("ApiKey realm=\"cep\""),
        Code::Unauthenticated => Some("Cookie realm=\"cep\""),
        _ => None,
    }
}
