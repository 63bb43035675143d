//! Raw connections: bodies that are too long, too slow or unwanted, and callers who hang up.

use std::time::Duration;

use domain::outcome::Outcome;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body};
use crate::people::with_json;

const TEN_MEGABYTES: usize = 10 * 1024 * 1024;

fn head(path: &str, key: &str, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: gateway\r\nx-api-key: {key}\r\n\
         Content-Type: application/json\r\n{more}\r\n"
    )
}

/// A connection on which a head with a good key has been sent, and some bytes of its body.
async fn begun(harness: &Harness, more: &str, body: &str) -> TcpStream {
    let request = head("/v1/cep/xml", GOOD_KEY, more) + body;
    sent(harness, request.as_bytes()).await
}

/// A connection on which bytes have been sent.
async fn sent(harness: &Harness, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(harness.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// Reads one answer whose length stands in its head.
async fn read_answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.unwrap();
        answer.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&answer);
        assert!(count > 0, "closed early: {text}");
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let mut lines = head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse().unwrap());
        if body.len() >= length {
            return text.into_owned();
        }
    }
}

/// A caller who sends its whole body before it reads gets the answer, and can reuse its
/// connection.
#[tokio::test]
async fn ten_megabytes_are_answered_and_taken_in() {
    let harness = Harness::start().await;
    let length = format!("Content-Length: {TEN_MEGABYTES}\r\n");
    let chunk = [&b"10000\r\n"[..], &vec![b' '; 0x10000], b"\r\n"].concat();
    let chunks = chunk.repeat(TEN_MEGABYTES / 0x10000);
    let chunks = [&chunks, &b"0\r\n\r\n"[..]].concat();
    for (framing, body) in [
        (&*length, vec![b' '; TEN_MEGABYTES]),
        ("Transfer-Encoding: chunked\r\n", chunks),
    ] {
        for (path, key, status) in [
            ("/v1/cep/xml", GOOD_KEY, "413"),
            ("/v1/cep/xml", "nobody", "401"),
            ("/nowhere", GOOD_KEY, "404"),
        ] {
            let mut stream = sent(&harness, head(path, key, framing).as_bytes()).await;
            stream.write_all(&body).await.unwrap();
            let answer = read_answer(&mut stream).await;
            let expected = format!("HTTP/1.1 {status}");
            assert!(answer.starts_with(&expected), "{framing}: {answer}");
            let next = b"GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n";
            stream.write_all(next).await.unwrap();
            assert!(read_answer(&mut stream).await.starts_with("HTTP/1.1 200"));
        }
    }
    harness.all_ended().await;
}

#[tokio::test]
async fn a_declared_length_is_refused_before_a_byte_of_it_arrives() {
    let harness = Harness::start().await;
    let mut stream = begun(&harness, "Content-Length: 16385\r\n", "").await;
    let answer = read_answer(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
}

#[tokio::test]
async fn a_caller_who_waits_for_100_continue_is_refused_without_it() {
    let harness = Harness::start().await;
    let expectant = "Content-Length: 200\r\nExpect: 100-continue\r\n";
    let head = head("/v1/cep/xml", "nobody", expectant);
    let answer = harness.raw(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

#[tokio::test]
async fn a_caller_who_waits_for_100_continue_gets_it_once_admitted() {
    let harness = Harness::start().await;
    let body = body(&[]);
    let expectant = format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len());
    let mut stream = begun(&harness, &expectant, "").await;
    assert!(read_answer(&mut stream).await.starts_with("HTTP/1.1 100"));
    stream.write_all(body.as_bytes()).await.unwrap();
    assert!(read_answer(&mut stream).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_body_that_dribbles_is_given_up_at_its_deadline() {
    let harness = Harness::with_body_deadline(Duration::from_millis(100)).await;
    let mut stream = begun(&harness, "Content-Length: 200\r\n", "{").await;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("\"error\":\"REQUEST_TIMEOUT\""), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert!(answer.contains("ratelimit: "), "{answer}");
    assert_eq!(harness.outcomes().await, [Outcome::InvalidRequest]);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_settled() {
    let harness = Harness::start().await;
    let mut stream = begun(&harness, "Content-Length: 200\r\n", "{\"fecha\":").await;
    stream.shutdown().await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    settled_once(&harness, Outcome::InvalidRequest).await;
}

#[tokio::test]
async fn a_caller_who_hangs_up_is_settled_once_the_bank_has_answered() {
    let harness = Harness::start().await;
    harness.bank().hold();
    let body = body(&[]);
    let length = format!("Content-Length: {}\r\n", body.len());
    let stream = begun(&harness, &length, &body).await;
    while harness.bank().times_asked() == 0 {
        tokio::task::yield_now().await;
    }
    drop(stream);
    assert_eq!(harness.gateway.requests(), []);
    harness.bank().release();
    settled_once(&harness, Outcome::Delivered).await;
}

/// In clear-text HTTP/2 there is no connection to close: the same bodies are refused on a stream.
#[tokio::test]
async fn http_2_gets_the_same_answers() {
    let harness = Harness::start().await;
    let client = reqwest::Client::builder()
        .no_proxy()
        .http2_prior_knowledge()
        .timeout(Duration::from_secs(20))
        .build()
        .unwrap();
    let post = async |key: &str, body: Vec<u8>| {
        let request = client.post(format!("http://{}/v1/cep/xml", harness.address));
        let request = request.header("x-api-key", key);
        with_json(request, body).status().await
    };
    assert_eq!(post(GOOD_KEY, body(&[]).into()).await, 200);
    assert_eq!(post(GOOD_KEY, vec![b' '; TEN_MEGABYTES]).await, 413);
    assert_eq!(post("nobody", vec![b' '; TEN_MEGABYTES]).await, 401);
    assert_eq!(post(GOOD_KEY, body(&[]).into()).await, 200);
    let (delivered, invalid) = (Outcome::Delivered, Outcome::InvalidRequest);
    let outcomes = harness.outcomes().await;
    assert_eq!(outcomes, [delivered, invalid, delivered]);
}

async fn settled_once(harness: &Harness, outcome: Outcome) {
    harness.all_ended().await;
    assert_eq!(harness.outcomes().await, [outcome]);
}
