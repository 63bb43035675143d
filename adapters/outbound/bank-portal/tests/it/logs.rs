//! That nothing of a payment reaches a log, however much is logged.

use std::io;
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use ports::inbound::Wanted;
use ports::outbound::{Bank as _, BankError, ThrottleReason};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

use crate::support::{READY, TestPortal, lookup};

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Keeps everything that is logged on this thread.
fn listen() -> (Log, DefaultGuard) {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[tokio::test]
async fn a_lookup_leaves_its_outcome_in_the_log_and_nothing_of_the_payment() {
    let (log, _guard) = listen();
    let portal = TestPortal::start(|asked| async move {
        if asked.is_validation() {
            ([("set-cookie", "JSESSIONID=CANARYCOOKIE")], READY).into_response()
        } else {
            "<p>CANARYPAGE</p>".into_response()
        }
    })
    .await;
    let lookup = lookup("CANARYKEY", Wanted::Xml);
    portal.adapter().fetch(&lookup).await.unwrap_err();
    let log = log.text();
    assert!(
        log.contains("asked the bank outcome=\"protocol_error\""),
        "{log}"
    );
    for secret in ["CANARY", lookup.transfer.account().as_str(), "1234.56"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[tokio::test]
async fn a_back_off_is_announced_once_with_its_reason_and_length() {
    let (log, _guard) = listen();
    let portal = TestPortal::start(|_| async { StatusCode::TOO_MANY_REQUESTS }).await;
    let adapter = portal.paced_adapter();
    let lookup = lookup("KEY01", Wanted::Xml);
    for expected in [ThrottleReason::TooManyRequests, ThrottleReason::BackingOff] {
        let answer = adapter.fetch(&lookup).await;
        assert!(
            matches!(&answer, Err(BankError::Throttled { reason, .. }) if *reason == expected),
            "{answer:?}"
        );
    }
    let log = log.text();
    let warnings: Vec<_> = log.lines().filter(|line| line.contains(" WARN ")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    assert!(
        warnings[0].ends_with(
            "the portal wants fewer questions and is left alone reason=\"http_429\" seconds=120"
        ),
        "{log}"
    );
}
