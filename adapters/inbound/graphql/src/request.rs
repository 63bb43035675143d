//! Reads the GraphQL request from an HTTP request.

use async_graphql::{ParseRequestError, Request};
use async_graphql_axum::GraphQLRequest;
use async_graphql_axum::rejection::GraphQLRejection;
use axum::body::Body;
use axum::extract::{FromRequest as _, Request as HttpRequest};
use domain::misspelling;
use serde_json::{Map, Value};
use web::problem::GraphqlProblem;
use web::{Code, Incoming};

use crate::request_error::RequestError;
use crate::text::shortened;

/// Members of a request's JSON object.
const MEMBERS: [&str; 4] = ["query", "variables", "operationName", "extensions"];

/// Maximum bytes of a body, and of a WebSocket message.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// Reads the single GraphQL request in a JSON body.
///
/// async-graphql's extractor has no size limit (axum's `DefaultBodyLimit` doesn't apply to it) and accepts
/// any media type, even that of a cross-site form. So the body is read first, with checks of media type,
/// size and deadline, and then given to the extractor. The JSON parser limits nesting to 128 levels.
pub(crate) async fn read(incoming: &Incoming, http: HttpRequest) -> Result<Request, RequestError> {
    let (head, _) = http.into_parts();
    let body = incoming
        .read(&head.headers, MAX_BODY_BYTES)
        .await
        .map_err(|problem| unreadable(problem.code()))?;
    refuse_misspelt(&body)?;
    let http = HttpRequest::from_parts(head, Body::from(body));
    Ok(parse(http).await?)
}

async fn parse(http: HttpRequest) -> Result<Request, GraphqlProblem> {
    let request = GraphQLRequest::<GraphQLRejection>::from_request(http, &()).await;
    let request = request.map_err(|GraphQLRejection(error)| rejected(error))?;
    let request = request.into_inner();
    // async-graphql treats a missing `query` as an empty document.
    if request.query.is_empty() {
        return Err(GraphqlProblem::BodyShape);
    }
    Ok(request)
}

/// Refuses an unknown member whose name is close to an absent known one, since it is probably misspelt.
/// Other unknown members are ignored, as GraphQL over HTTP specifies. A body that isn't a JSON object is
/// refused later.
fn refuse_misspelt(body: &[u8]) -> Result<(), GraphqlProblem> {
    let members: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let is_absent = |known: &&str| !members.contains_key(*known);
    let absent: Vec<_> = MEMBERS.into_iter().filter(is_absent).collect();
    let unknown = members
        .keys()
        .filter(|name| !MEMBERS.contains(&name.as_str()));
    let mut misspelt = unknown.filter_map(|name| {
        let meant = misspelling::meant(name, &absent)?;
        let name = shortened(name);
        Some(GraphqlProblem::MisspeltMember { name, meant })
    });
    misspelt.next().map_or(Ok(()), Err)
}

fn unreadable(code: Code) -> GraphqlProblem {
    match code {
        Code::UnsupportedMediaType => GraphqlProblem::MediaType,
        Code::PayloadTooLarge => GraphqlProblem::BodyTooLarge {
            max_bytes: MAX_BODY_BYTES,
        },
        Code::RequestTimeout => GraphqlProblem::BodyTimeout,
        _ => GraphqlProblem::IncompleteBody,
    }
}

fn rejected(error: ParseRequestError) -> GraphqlProblem {
    match error {
        ParseRequestError::UnsupportedBatch => GraphqlProblem::Batch,
        ParseRequestError::InvalidRequest(error) => {
            match error.downcast_ref::<serde_json::Error>() {
                Some(error) if !error.is_data() => GraphqlProblem::MalformedJson {
                    line: error.line(),
                    column: error.column(),
                },
                _ => GraphqlProblem::BodyShape,
            }
        }
        _ => GraphqlProblem::BodyShape,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_body_is_parsed_or_refused_without_a_panic(body: Vec<u8>) {
            let http = HttpRequest::post("/graphql").header("content-type", "application/json");
            let parsed = parse(http.body(Body::from(body)).unwrap()).now_or_never();
            prop_assert!(parsed.is_some(), "a body in memory needs no waiting");
        }
    }
}
