//! That nothing of a payment reaches a log, however much is logged.

use std::io;
use std::sync::{Arc, Mutex};

use axum::response::IntoResponse as _;
use ports::inbound::Wanted;
use ports::outbound::Bank as _;
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

#[tokio::test]
async fn a_lookup_leaves_its_outcome_in_the_log_and_nothing_of_the_payment() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
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
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(
        log.contains("asked the bank outcome=\"protocol_error\""),
        "{log}"
    );
    for secret in ["CANARY", lookup.transfer.account().as_str(), "1234.56"] {
        assert!(!log.contains(secret), "{log}");
    }
}
