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
#[case::without_a_name(None)]
#[case::with_an_idempotency_key(Some("a-payment"))]
#[tokio::test]
async fn a_request_that_waits_for_the_bank_holds_no_buffer(#[case] name: Option<&str>) {
    let harness = Harness::start().await;
    harness.bank().hold();
    let holders = Arc::new(());
    let shared =
        |text: &str| Bytes::from_owner(Buffer(text.as_bytes().to_vec(), Arc::clone(&holders)));
    let uri = Uri::from_maybe_shared(shared("/v1/cep/xml?from=a-test")).unwrap();
    let mut request = Request::post(uri)
        .body(Body::from(shared(&body(&[]))))
        .unwrap();
    let headers = [
        ("x-api-key", Some(GOOD_KEY)),
        ("content-type", Some("application/json")),
        ("x-request-id", Some("test-1")),
        ("user-agent", Some("a-client/1.0")),
        ("idempotency-key", name),
    ];
    for (header, value) in headers {
        if let Some(value) = value {
            let value = HeaderValue::from_maybe_shared(shared(value)).unwrap();
            request
                .headers_mut()
                .insert(HeaderName::from_static(header), value);
        }
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
}
