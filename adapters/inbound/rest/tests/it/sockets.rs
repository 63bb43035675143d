//! Raw connections: bodies that are too long, too slow or unwanted, and callers who hang up.

use std::time::Duration;

use domain::outcome::Outcome;
use rstest::rstest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body};

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
        assert!(
            count > 0,
            "closed early: {}",
            String::from_utf8_lossy(&answer)
        );
        answer.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .map_or(0, |length| length.parse().unwrap());
        if body.len() >= length {
            return text.into_owned();
        }
    }
}

/// A caller who sends its whole body before it reads gets the answer, and can reuse its
/// connection.
#[rstest]
#[case::with_a_length("/v1/cep/xml", GOOD_KEY, "413")]
#[case::without_a_key("/v1/cep/xml", "nobody", "401")]
#[case::to_nowhere("/nowhere", GOOD_KEY, "404")]
#[tokio::test]
async fn ten_megabytes_with_a_length_are_answered_and_taken_in(
    #[case] path: &str,
    #[case] key: &str,
    #[case] status: &str,
) {
    let harness = Harness::start().await;
    let length = format!("Content-Length: {TEN_MEGABYTES}\r\n");
    let mut stream = sent(&harness, head(path, key, &length).as_bytes()).await;
    stream.write_all(&vec![b' '; TEN_MEGABYTES]).await.unwrap();
    let answer = read_answer(&mut stream).await;
    assert!(
        answer.starts_with(&format!("HTTP/1.1 {status}")),
        "{answer}"
    );

    let next = b"GET /healthz HTTP/1.1\r\nHost: gateway\r\n\r\n";
    stream.write_all(next).await.unwrap();
    assert!(read_answer(&mut stream).await.starts_with("HTTP/1.1 200"));
    harness.all_ended().await;
}

#[rstest]
#[case("/v1/cep/xml", GOOD_KEY, "413")]
#[case("/v1/cep/xml", "nobody", "401")]
#[tokio::test]
async fn ten_megabytes_in_chunks_are_answered_and_taken_in(
    #[case] path: &str,
    #[case] key: &str,
    #[case] status: &str,
) {
    let harness = Harness::start().await;
    let chunked = head(path, key, "Transfer-Encoding: chunked\r\n");
    let mut stream = sent(&harness, chunked.as_bytes()).await;
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend_from_slice(&vec![b' '; 0x10000]);
    chunk.extend_from_slice(b"\r\n");
    for _ in 0..TEN_MEGABYTES / 0x10000 {
        stream.write_all(&chunk).await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let answer = read_answer(&mut stream).await;
    assert!(
        answer.starts_with(&format!("HTTP/1.1 {status}")),
        "{answer}"
    );
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
    let answer = harness
        .raw(head("/v1/cep/xml", "nobody", expectant).as_bytes())
        .await;
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
        let request = client
            .post(format!("http://{}/v1/cep/xml", harness.address))
            .header("x-api-key", key)
            .header("content-type", "application/json")
            .body(body);
        request.response().await.status().as_u16()
    };
    assert_eq!(post(GOOD_KEY, body(&[]).into()).await, 200);
    assert_eq!(post(GOOD_KEY, vec![b' '; TEN_MEGABYTES]).await, 413);
    assert_eq!(post("nobody", vec![b' '; TEN_MEGABYTES]).await, 401);
    assert_eq!(post(GOOD_KEY, body(&[]).into()).await, 200);
    let delivered = Outcome::Delivered;
    assert_eq!(
        harness.outcomes().await,
        [delivered, Outcome::InvalidRequest, delivered]
    );
}

async fn settled_once(harness: &Harness, outcome: Outcome) {
    harness.all_ended().await;
    assert_eq!(harness.outcomes().await, [outcome]);
}
