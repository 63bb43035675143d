//! HTTP: h2c, deadlines, oversized and dribbling requests.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use procfs::net::TcpState;
use procfs::process::{FDTarget, Process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::gateway::{CountingBank, Gateway, Key, Plan, left, request, soon};

/// The head of a request for a proof, with these lines.
fn head(key: &Key, lines: &str) -> String {
    format!(
        "POST /v1/cep/xml HTTP/1.1\r\nHost: x\r\nx-api-key: {}\r\n\
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
    let client = reqwest::Client::builder()
        .http2_prior_knowledge()
        .timeout(Duration::from_secs(30))
        .build()
        .unwrap();
    let asked = gateway
        .asking("xml", &key)
        .body(request(1, "10.00").to_string());
    let answer = client.execute(asked.build().unwrap()).await.unwrap();
    assert_eq!(answer.version(), reqwest::Version::HTTP_2);
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn headers_that_dribble_are_cut_off_in_time() {
    let gateway = Gateway::start();
    let started = Instant::now();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream
        .write_all(b"POST /v1/cep/xml HTTP/1.1\r\nHost: x\r\n")
        .await
        .unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let dribble = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(500));
        loop {
            ticks.tick().await;
            if writing.write_all(b"x").await.is_err() {
                return;
            }
        }
    });
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(12), reading.read_to_end(&mut answer))
        .await
        .expect("still open");
    dribble.abort();
    assert!(
        started.elapsed() >= Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
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

#[tokio::test]
async fn a_body_that_dribbles_is_answered_in_time() {
    let (gateway, key) = Gateway::with_key();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let head = head(&key, "content-length: 200") + "{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let started = Instant::now();
    let mut answer = [0; 12];
    let read = tokio::time::timeout(Duration::from_secs(15), stream.read_exact(&mut answer)).await;
    read.expect("no answer in time").unwrap();
    assert_eq!(&answer, b"HTTP/1.1 408");
    assert!(started.elapsed() >= Duration::from_secs(9));
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
        let head = head(&key, lines);
        let sent = [&[head.as_bytes()], &*chunks].concat();
        let answer = exchange(&gateway, &sent).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    }
    assert_eq!(gateway.status_of(&key).await, 200);
}

#[tokio::test]
async fn oversized_heads_are_refused() {
    let gateway = Gateway::start();
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(70_000));
    let long_header = format!(
        "GET /healthz HTTP/1.1\r\nHost: x\r\nx-a: {}\r\n\r\n",
        "a".repeat(70_000)
    );
    for head in [long_path, long_header] {
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
    let served = gateway
        .client
        .get(gateway.url("/healthz"))
        .timeout(Duration::from_secs(20))
        .send()
        .await;
    assert_eq!(served.unwrap().status(), 200);
}

#[tokio::test]
async fn a_client_that_hangs_up_is_still_counted_and_its_lookup_goes_on() {
    let bank = CountingBank::start(Duration::from_millis(500)).await;
    let gateway = bank.gateway();
    let key = gateway.key(&["--env", "live", "--monthly-quota", "100"]);
    let body = request(1, "10.00").to_string();
    let impatient = tokio::spawn(gateway.asking("xml", &key).body(body).send());
    soon("the bank is asked", async || !bank.asked().is_empty()).await;
    impatient.abort();
    // The next caller finds the proof cached, or joins the lookup.
    let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
    assert_eq!(left(&answer, "month"), 98);
    assert_eq!(answer.status(), 200);
    assert_eq!(bank.asked(), ["valida.do", "descarga.do?formato=XML"]);
}

#[tokio::test]
async fn a_refused_body_that_is_still_arriving_does_not_cost_the_connection() {
    let (gateway, key) = Gateway::with_key();
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let head = head(&key, "content-length: 20000");
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
