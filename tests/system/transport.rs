//! HTTP: h2c, deadlines, oversized and dribbling requests.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures::future::join_all;
use procfs::net::TcpState;
use procfs::process::{FDTarget, Process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::gateway::{Gateway, Key, Plan, request};

/// The head of a request, with these lines.
fn head(path: &str, key: &Key, lines: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nx-api-key: {}\r\n\
         content-type: application/json\r\n{lines}\r\n\r\n",
        key.full
    )
}

/// Sends these bytes on a connection of its own and reads until the other side closes.
async fn exchange(gateway: &Gateway, parts: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    for part in parts {
        // The gateway may have answered and closed before it took everything.
        if stream.write_all(part).await.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn h2c_is_served_with_prior_knowledge() {
    let (gateway, key) = Gateway::with_key();
    let client = reqwest::Client::builder().http2_prior_knowledge();
    let client = client.build().unwrap();
    let asked = gateway.asking("xml", &key);
    let asked = asked.body(request(1, "10.00").to_string()).build();
    let answer = client.execute(asked.unwrap()).await.unwrap();
    assert_eq!(answer.version(), reqwest::Version::HTTP_2);
    assert_eq!(answer.status(), 200);
}

/// Sends this, and then a byte now and then until there is an answer or the other side closes; returns the
/// beginning of the answer, and the time until then.
async fn dribbled(gateway: &Gateway, beginning: &str) -> (String, Duration) {
    let started = Instant::now();
    let stream = TcpStream::connect(gateway.address).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    writing.write_all(beginning.as_bytes()).await.unwrap();
    let dribble = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        while writing.write_all(b"x").await.is_ok() {
            ticks.tick().await;
        }
    });
    let mut answer = [0; 12];
    let read = tokio::time::timeout(Duration::from_secs(20), reading.read_exact(&mut answer));
    let _ = read.await.expect("still open");
    dribble.abort();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer, started.elapsed())
}

#[tokio::test]
async fn headers_that_dribble_are_cut_off_in_time() {
    let gateway = Gateway::start();
    let (_, took) = dribbled(&gateway, "POST /v1/cep/xml HTTP/1.1\r\nHost: x\r\n").await;
    let in_time = Duration::from_secs(4)..Duration::from_secs(12);
    assert!(in_time.contains(&took), "{took:?}");
}

#[tokio::test]
async fn a_kept_connection_outlives_the_deadline_of_heads() {
    let gateway = Gateway::start();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let ask = async |stream: &mut TcpStream| {
        let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"}") {
            let read = stream.read_buf(&mut answer).await.unwrap();
            assert_ne!(read, 0, "the connection was closed");
        }
    };
    ask(&mut stream).await;
    // Nothing may arrive, the connection's end included, for longer than the timeout of a head.
    let silence = tokio::time::timeout(Duration::from_secs(7), stream.read_u8()).await;
    assert!(silence.is_err(), "the connection was closed: {silence:?}");
    ask(&mut stream).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_dribbles_is_answered_in_time() {
    let (gateway, key) = Gateway::with_key();
    let heads =
        ["/v1/cep/xml", "/v1/cep/lookups"].map(|path| head(path, &key, "content-length: 9000"));
    let started = Instant::now();
    let dribbling = join_all((0..20).map(|number| dribbled(&gateway, &heads[number % 2])));
    let others = async {
        for number in 0..30 {
            let asked = Instant::now();
            let lookup = gateway.asking("lookups", &key).header("prefer", "wait=5");
            let lookup = lookup.body(request(number, "10.00").to_string()).send();
            assert_eq!(lookup.await.unwrap().status(), 200);
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(2), "it was delayed: {took:?}");
        }
        started.elapsed()
    };
    let (answers, others) = tokio::join!(dribbling, others);
    let in_time = Duration::from_secs(9)..Duration::from_secs(15);
    for (answer, took) in answers {
        assert_eq!(answer, "HTTP/1.1 408");
        assert!(in_time.contains(&took), "{took:?}");
        assert!(others < took, "nobody dribbled any more");
    }
}

#[tokio::test]
async fn ten_megabytes_are_refused_with_and_without_their_length() {
    let (gateway, key) = Gateway::with_key();
    let chunk = vec![b' '; 1 << 20];
    let length = format!("connection: close\r\ncontent-length: {}", 10 << 20);
    let size = format!("{:x}\r\n", 1 << 20);
    let parts = [size.as_bytes(), &chunk, b"\r\n"];
    for (lines, chunks) in [
        (&*length, vec![&*chunk; 10]),
        (
            "connection: close\r\ntransfer-encoding: chunked",
            parts.repeat(10),
        ),
    ] {
        let head = head("/v1/cep/xml", &key, lines);
        let sent = [&[head.as_bytes()], &*chunks].concat();
        let answer = exchange(&gateway, &sent).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    }
    assert_eq!(gateway.status_of(&key).await, 200);
}

#[tokio::test]
async fn oversized_heads_are_refused() {
    let gateway = Gateway::start();
    let long = "a".repeat(70_000);
    for head in [
        format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\nHost: x\r\nx-a: {long}\r\n\r\n"),
    ] {
        let answer = exchange(&gateway, &[head.as_bytes()]).await;
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(gateway.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn an_idle_connection_does_not_take_the_place_of_a_working_one_for_ever() {
    let gateway = Plan::new()
        .with("CEP_MAX_CONNECTIONS", 2)
        .with("CEP_MAX_CONNECTIONS_PER_ADDRESS", 4)
        .start();
    // The two places, and the one that is kept for this machine, are taken until the header deadline
    // frees them.
    let _idle = [(); 3].map(|()| std::net::TcpStream::connect(gateway.address).unwrap());
    let served = tokio::time::timeout(Duration::from_secs(20), gateway.get("/healthz"));
    assert_eq!(served.await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_refused_body_that_is_still_arriving_does_not_cost_the_connection() {
    let (gateway, key) = Gateway::with_key();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let head = head("/v1/cep/xml", &key, "content-length: 20000");
    stream.write_all(head.as_bytes()).await.unwrap();
    // For longer than the timeout of a head.
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    for _ in 0..8 {
        ticks.tick().await;
        stream.write_all(&[b' '; 2_500]).await.unwrap();
    }
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).await.unwrap();
    assert!(
        answers.starts_with("HTTP/1.1 413") && answers.contains("HTTP/1.1 200"),
        "{answers}"
    );
}

/// The addresses that a process listens on, by the kernel's account.
fn listening(process: u32) -> Vec<SocketAddr> {
    let process = Process::new(process.cast_signed()).unwrap();
    let descriptors = process.fd().unwrap().map(|descriptor| descriptor.unwrap());
    let sockets: HashSet<_> = descriptors
        .filter_map(|descriptor| match descriptor.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect();
    let tables = [procfs::net::tcp(), procfs::net::tcp6()];
    let entries = tables.into_iter().flat_map(Result::unwrap);
    entries
        .filter(|entry| entry.state == TcpState::Listen && sockets.contains(&entry.inode))
        .map(|entry| entry.local_address)
        .collect()
}

#[test]
fn nothing_but_the_api_is_reachable_from_outside() {
    let gateway = Plan::new()
        .with("CEP_LISTEN", "0.0.0.0:0")
        .with("CEP_DASHBOARD", "off")
        .start();
    let (inside, outside): (Vec<_>, Vec<_>) = listening(gateway.id())
        .into_iter()
        .partition(|address| address.ip().is_loopback());
    assert_eq!(outside, [gateway.address]);
    assert_eq!(inside.len(), 2, "metrics and the sandbox bank: {inside:?}");
}
