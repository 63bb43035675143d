//! Head and body of a request share the buffer that hyper reads into, 8 KiB for each connection. A request
//! that waits for the bank must not hold it: hyper has taken another one by then.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use bytes::Bytes;
use rstest::rstest;
use tower::ServiceExt as _;

use crate::data::GOOD_KEY;
use crate::harness::{Harness, body};

/// Bytes of a buffer that `Arc` counts.
struct Buffer(
    Vec<u8>,
    #[expect(dead_code, reason = "it is counted")] Arc<()>,
);

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[rstest]
#[case::for_a_file("/v1/cep/xml?from=a-test", None)]
#[case::for_a_named_request("/v1/cep/xml?from=a-test", Some(("idempotency-key", "a-payment")))]
#[case::for_a_stored_lookup("/v1/cep/lookups", Some(("prefer", "wait=20")))]
#[tokio::test]
async fn a_request_that_waits_for_the_bank_holds_no_buffer(
    #[case] path: &str,
    #[case] header: Option<(&'static str, &str)>,
) {
    let harness = Harness::start().await;
    let worker = tokio::spawn(harness.gateway.lookups.worker.clone().run());
    harness.bank().hold();
    let holders = Arc::new(());
    let shared =
        |text: &str| Bytes::from_owner(Buffer(text.as_bytes().to_vec(), Arc::clone(&holders)));
    let uri = Uri::from_maybe_shared(shared(path)).unwrap();
    let mut request = Request::post(uri)
        .body(Body::from(shared(&body(&[]))))
        .unwrap();
    let usual = [
        ("x-api-key", GOOD_KEY),
        ("content-type", "application/json"),
        ("x-request-id", "test-1"),
        ("user-agent", "a-client/1.0"),
    ];
    for (name, value) in usual.into_iter().chain(header) {
        let value = HeaderValue::from_maybe_shared(shared(value)).unwrap();
        let name = HeaderName::from_static(name);
        request.headers_mut().insert(name, value);
    }
    let caller = SocketAddr::from(([127, 0, 0, 1], 9));
    request.extensions_mut().insert(ConnectInfo(caller));
    let answer = tokio::spawn(harness.router.clone().oneshot(request));
    while harness.bank().times_asked() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(Arc::strong_count(&holders), 1, "the buffer is still held");
    harness.bank().release();
    let answer = answer.await.unwrap().unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    worker.abort();
}
