//! Connections that fail, break and hang, and the single retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bank_portal::PortalConfig;
use domain::pacing::ThrottleReason;
use domain::proofs::file::RequestedFiles;
use ports::outbound::{Bank as _, BankAnswer, BankError};
use rstest::rstest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::support::{
    NOT_FOUND, READY, TestPortal, XML, adapter, assert_protocol_error, assert_unavailable, config,
    error_chain, fetch_xml, lookup, throttled,
};

/// No response: the connection is closed.
const CLOSED: &str = "";

/// A complete response with this body.
fn complete(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// A portal on bare sockets, which closes each connection after its answer.
struct FaultyPortal {
    url: String,
    requests: Arc<AtomicUsize>,
}

impl FaultyPortal {
    /// A portal whose n-th request gets the n-th of these answers, later ones the last.
    async fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/cep", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        let answers: Vec<_> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                read_request(&mut stream).await;
                let number = count.fetch_add(1, Ordering::SeqCst);
                let answer = &answers[number.min(answers.len() - 1)];
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { url, requests }
    }

    async fn fetch_xml(&self) -> Result<BankAnswer, BankError> {
        fetch_xml(&self.url).await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Reads a request head and the body of its length.
async fn read_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            assert_ne!(read, 0, "a whole head was expected");
            continue;
        };
        let mut lines = head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse().unwrap());
        if body.len() >= length {
            return;
        }
    }
}

#[tokio::test]
async fn a_portal_that_hangs_up_is_asked_twice_and_then_unavailable() {
    let portal = FaultyPortal::start(&[CLOSED]).await;
    let answer = portal.fetch_xml().await;
    let Err(BankError::Unavailable { retry_after, .. }) = answer else {
        panic!("an unavailable bank was expected, not {answer:?}");
    };
    assert_eq!(retry_after, Duration::from_secs(30));
    assert_eq!(portal.requests(), 2);
}

#[tokio::test]
async fn a_connection_closed_once_is_retried() {
    let portal = FaultyPortal::start(&[CLOSED, &complete(NOT_FOUND)]).await;
    let answer = portal.fetch_xml().await;
    assert_eq!(answer.unwrap(), BankAnswer::NotFound);
}

#[tokio::test]
async fn a_download_without_an_answer_is_asked_for_again() {
    let file = complete("<?xml version=\"1.0\"?><SPEI_Tercero/>");
    let portal = FaultyPortal::start(&[&complete(READY), CLOSED, &file]).await;
    let answer = portal.fetch_xml().await;
    assert!(matches!(answer, Ok(BankAnswer::Issued(_))), "{answer:?}");
}

#[tokio::test]
async fn a_lookup_has_a_single_retry() {
    let portal = FaultyPortal::start(&[CLOSED, &complete(READY), CLOSED]).await;
    assert_unavailable(&portal.fetch_xml().await);
    assert_eq!(portal.requests(), 3);
}

#[rstest]
#[case::after_the_head("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")]
#[case::in_the_body("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<html>")]
#[case::in_a_chunk("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<html>")]
#[tokio::test]
async fn once_something_was_answered_nothing_is_asked_again(#[case] bytes: &str) {
    let portal = FaultyPortal::start(&[bytes]).await;
    assert_unavailable(&portal.fetch_xml().await);
    assert_eq!(portal.requests(), 1);
}

#[tokio::test]
async fn a_server_of_another_protocol_is_a_protocol_error() {
    let portal = FaultyPortal::start(&["SSH-2.0-OpenSSH_9.6\r\n\r\n"]).await;
    assert_protocol_error(&portal.fetch_xml().await);
    assert_eq!(portal.requests(), 1);
}

/// An address at which nobody listens.
async fn refusing_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/cep", listener.local_addr().unwrap())
}

#[tokio::test]
async fn a_refused_connection_is_unavailable() {
    assert_unavailable(&fetch_xml(&refusing_url().await).await);
}

#[tokio::test]
async fn lookups_over_the_bulkhead_are_refused_until_one_ends() {
    let gate = Arc::new(Semaphore::new(0));
    let closed = Arc::clone(&gate);
    let portal = TestPortal::start(move |request| {
        let gate = Arc::clone(&closed);
        async move {
            gate.acquire().await.unwrap().forget();
            let is_page = request.is_validation();
            if is_page { READY.as_bytes() } else { XML }
        }
    })
    .await;
    let adapter = Arc::new(adapter(PortalConfig {
        max_lookups: 1,
        ..config(&portal.url())
    }));
    let fetch = |key: &'static str| {
        let adapter = Arc::clone(&adapter);
        tokio::spawn(async move { adapter.fetch(&lookup(key, RequestedFiles::Xml)).await })
    };
    let first = fetch("KEY01");
    while portal.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    let refused = throttled(fetch("KEY02").await.unwrap());
    let expected = (Duration::from_secs(1), ThrottleReason::TooManyLookups);
    assert_eq!(refused, expected);
    gate.add_permits(4);
    first.await.unwrap().unwrap();
    fetch("KEY02").await.unwrap().unwrap();
}

#[tokio::test]
async fn a_refused_connection_and_a_closed_one_can_be_told_apart_by_their_causes() {
    let closing = FaultyPortal::start(&[CLOSED]).await;
    let cause = async |url: &str| {
        let lookup = lookup("CANARY", RequestedFiles::Xml);
        let answer = adapter(config(url)).fetch(&lookup).await;
        let text = error_chain(&answer.unwrap_err());
        for secret in ["CANARY", "http://", "/cep", "valida.do"] {
            assert!(!text.contains(secret), "{text}");
        }
        text
    };
    let refused = cause(&refusing_url().await).await;
    assert!(refused.contains("no connection"), "{refused}");
    assert!(refused.contains("Connection refused"), "{refused}");
    let closed = cause(&closing.url).await;
    assert!(closed.contains("closed without a response"), "{closed}");
}
