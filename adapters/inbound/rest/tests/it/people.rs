//! The routes for people: `/keys`, `/lookups` and `/admin`, under a session.

mod admin;
mod batches;
mod credentials;
pub(crate) mod data;
mod faults;
mod keys;
mod lookups;
mod webhooks;

use reqwest::RequestBuilder;
use serde_json::Value;

use crate::harness::{Harness, transcript};

/// A request with somebody's session and a fixed id.
fn ask(harness: &Harness, token: &str, method: &str, path: &str) -> RequestBuilder {
    harness
        .request(method, path)
        .header("cookie", format!("cep_session={token}"))
        .header("x-request-id", "test-1")
}

fn with_json(request: RequestBuilder, body: impl Into<reqwest::Body>) -> RequestBuilder {
    request
        .header("content-type", "application/json")
        .body(body)
}

async fn sent(request: RequestBuilder) -> String {
    transcript(request.send().await.unwrap()).await
}

/// The body of a good answer.
async fn json(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    assert!(response.status().is_success(), "{response:?}");
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}

/// The Spanish and the English answer, one after the other.
async fn in_both_languages(request: impl Fn() -> RequestBuilder) -> String {
    let spanish = sent(request().header("accept-language", "es-MX")).await;
    let english = sent(request().header("accept-language", "en")).await;
    format!("{spanish}\n\n{english}")
}
