//! Log lines of a lookup: nothing of a payment is in them.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use domain::pacing::ThrottleReason;
use domain::proofs::file::RequestedFiles;
use ports::outbound::Bank as _;
use serde_json::json;
use testkit::log::listen;

use crate::support::{READY, TestPortal, lookup, throttled};

/// Log target of the adapter.
const PORTAL: &str = "bank_portal::portal";

#[tokio::test]
async fn a_lookup_leaves_its_outcome_in_the_log_and_nothing_of_the_payment() {
    let (lines, _guard) = listen();
    let portal = TestPortal::start(|request| async move {
        if request.is_validation() {
            ([("set-cookie", "JSESSIONID=CANARYCOOKIE")], READY).into_response()
        } else {
            "<p>CANARYPAGE</p>".into_response()
        }
    })
    .await;
    let lookup = lookup("CANARYKEY", RequestedFiles::Xml);
    portal.adapter().fetch(&lookup).await.unwrap_err();
    let finished = &lines.fields_of(PORTAL)[0];
    assert_eq!(finished["message"], "portal lookup finished");
    assert_eq!(finished["outcome"], "protocol_error");
    let log = lines.text();
    for secret in ["CANARY", lookup.transfer.account().as_str(), "1234.56"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[tokio::test]
async fn a_back_off_is_logged_once_with_its_reason_and_length() {
    let (lines, _guard) = listen();
    let portal = TestPortal::start(|_| async { StatusCode::TOO_MANY_REQUESTS }).await;
    let adapter = portal.paced_adapter();
    let lookup = lookup("KEY01", RequestedFiles::Xml);
    for expected in [ThrottleReason::TooManyRequests, ThrottleReason::BackingOff] {
        let (_, reason) = throttled(adapter.fetch(&lookup).await);
        assert_eq!(reason, expected);
    }
    let mut warnings = lines.of(PORTAL);
    warnings.retain(|line| line["level"] == "WARN");
    assert_eq!(warnings.len(), 1, "{}", lines.text());
    let expected = json!({
        "message": "the portal throttles us: back-off started",
        "reason": "http_429",
        "seconds": 120,
    });
    assert_eq!(warnings[0]["fields"], expected);
}
