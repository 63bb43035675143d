//! The routes for people: `/keys`, `/lookups` and `/admin`, under a session.

mod accounts;
mod admin;
mod batches;
mod charged;
mod credentials;
pub(crate) mod data;
mod faults;
mod keys;
mod lookups;
mod webhooks;

use reqwest::RequestBuilder;
use serde_json::Value;

use crate::harness::{Exchange, Harness};

/// A request with somebody's session.
pub(crate) fn ask(harness: &Harness, token: &str, method: &str, path: &str) -> RequestBuilder {
    let request = harness.request(method, path);
    request.header("cookie", format!("cep_session={token}"))
}

pub(crate) fn with_json(request: RequestBuilder, body: impl Into<reqwest::Body>) -> RequestBuilder {
    request
        .header("content-type", "application/json")
        .body(body)
}

/// The body of a good answer.
async fn json(request: RequestBuilder) -> Value {
    let response = request.response().await;
    assert!(response.status().is_success(), "{response:?}");
    serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
}
