//! Answers: the one place where failures become words, codes and statuses, and where a cause is
//! logged.

use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError};
use axum::response::Response as HttpResponse;
use domain::request::RequestId;
use serde::Serialize;
use web::{Chain, Language};

use crate::code::Code;
use crate::failure::Failure;
use crate::messages;
use crate::refusal::{Refusal, shortened};

/// Who is answered, and in which language.
#[derive(Clone, Copy)]
pub(crate) struct Addressee<'a> {
    pub(crate) request_id: &'a RequestId,
    pub(crate) language: Language,
}

/// The body of an answer to a request that wasn't executed.
#[derive(Serialize)]
struct RefusalBody<'a> {
    errors: Vec<ErrorBody<'a>>,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Pos>,
    extensions: Extensions<'a>,
}

#[derive(Serialize)]
struct Extensions<'a> {
    code: &'static str,
    request_id: &'a str,
}

/// The answer to a request that isn't executed.
pub(crate) fn refused(refusal: &Refusal, to: Addressee<'_>) -> HttpResponse {
    let code = refusal.code();
    let sentences = refusal.sentences(messages::of(to.language));
    let error = |sentence: crate::refusal::Sentence| ErrorBody {
        message: sentence.message,
        locations: sentence.locations,
        extensions: Extensions {
            code: code.name(),
            request_id: to.request_id.as_str(),
        },
    };
    let body = RefusalBody {
        errors: sentences.into_iter().map(error).collect(),
    };
    let body = serde_json::to_vec(&body).expect("it has string keys only");
    let mut response = web::json_response(body);
    *response.status_mut() = code.status();
    response
}

/// The answer to a request that was executed, and the code of its first error.
pub(crate) fn executed(
    mut response: Response,
    to: Addressee<'_>,
) -> Result<(HttpResponse, Option<Code>), Refusal> {
    let codes: Vec<Code> = response
        .errors
        .iter_mut()
        .map(|error| tell(error, to))
        .collect();
    let body = serde_json::to_vec(&response).map_err(|error| {
        tracing::error!(request_id = %to.request_id, %error, "an answer can't be written");
        Refusal::Internal
    })?;
    Ok((web::json_response(body), codes.first().copied()))
}

/// Puts a field's failure into words.
fn tell(error: &mut ServerError, to: Addressee<'_>) -> Code {
    let (code, message) = told(error, to);
    error.message = message;
    let mut extensions = ErrorExtensionValues::default();
    extensions.set("code", code.name());
    extensions.set("request_id", to.request_id.as_str());
    error.extensions = Some(extensions);
    code
}

fn told(error: &ServerError, to: Addressee<'_>) -> (Code, String) {
    let messages = messages::of(to.language);
    let Some(failure) = error.source::<Failure>() else {
        // Resolvers fail with nothing else; what is left are arguments that only turn out to be
        // unreadable when they are read.
        let reason = shortened(&error.message);
        return (Code::InvalidRequest, messages.unreadable_argument(&reason));
    };
    match failure {
        Failure::Forbidden => (Code::Forbidden, messages.forbidden()),
        Failure::NotFound => (Code::NotFound, messages.not_found()),
        Failure::Invalid { argument, problem } => (
            Code::InvalidRequest,
            messages.invalid_argument(argument, *problem),
        ),
        Failure::Unexpected(cause) => {
            let cause = Chain(&**cause);
            tracing::error!(request_id = %to.request_id, %cause, "a field could not be resolved");
            (Code::InternalError, messages.internal_error())
        }
        Failure::Uncounted => {
            tracing::error!(request_id = %to.request_id, "a list came without its total");
            (Code::InternalError, messages.internal_error())
        }
    }
}
