//! Benchmark of the sandbox: sealed and served proofs per second, and the duration of many concurrent
//! lookups of a portal with latency, clients included:
//! `cargo run --release -p sandbox --example throughput`.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement, not a program"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use sandbox::SandboxConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufStream};
use tokio::net::{TcpSocket, TcpStream};

const CLIENTS: usize = 32;
const LOOKUPS: usize = 500;
/// Concurrent lookups in the last round.
const AT_ONCE: usize = 2_000;
/// Latency of the portal in the last round.
const LATENCY: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() {
    let address = serve(Duration::ZERO);
    for (round, different) in [("sealed anew", true), ("sealed before", false)] {
        let elapsed = measured(address, CLIENTS, LOOKUPS, different).await;
        let rate = (CLIENTS * LOOKUPS) as f64 / elapsed;
        println!("{round}: {rate:.0} proofs a second");
    }
    let elapsed = measured(serve(LATENCY), AT_ONCE, 1, true).await;
    println!("{AT_ONCE} at once of a portal that thinks for {LATENCY:?}: {elapsed:.2} s");
}

/// The seconds that so many concurrent clients take for so many lookups each.
async fn measured(address: SocketAddr, clients: usize, lookups: usize, different: bool) -> f64 {
    let started = Instant::now();
    let look_up = |client| tokio::spawn(look_up(address, client, lookups, different));
    for client in (0..clients).map(look_up).collect::<Vec<_>>() {
        client.await.unwrap();
    }
    started.elapsed().as_secs_f64()
}

fn serve(latency: Duration) -> SocketAddr {
    let config = SandboxConfig {
        latency,
        now: Arc::new(|| DateTime::from_timestamp(1_795_197_600, 0).unwrap()),
    };
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    // A backlog for all: a connection beyond it is delayed by a second.
    let listener = socket.listen(4096).unwrap();
    let address = listener.local_addr().unwrap();
    let router = sandbox::router(config);
    tokio::spawn(sandbox::serve(listener, router, std::future::pending()));
    address
}

/// Fetches proofs one after the other on one connection.
async fn look_up(address: SocketAddr, client: usize, lookups: usize, different: bool) {
    let mut stream = BufStream::new(TcpStream::connect(address).await.unwrap());
    for lookup in 0..lookups {
        let number = if different { lookup } else { 0 };
        let form = format!(
            "tipoCriterio=T&criterio=KEY{client}X{number}&fecha=20-11-2026&emisor=40012&\
             receptor=40002&cuenta=002010077777777771&monto=1234.56&receptorParticipante=0&\
             captcha=c&tipoConsulta=1"
        );
        let request = format!(
            "POST /cep/valida.do HTTP/1.1\r\nHost: sandbox\r\nContent-Type: \
             application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        );
        let (head, _) = exchange(&mut stream, &request).await;
        let (_, session) = head.split_once("JSESSIONID=").unwrap();
        let (session, _) = session.split_once(';').unwrap();
        let request = format!(
            "GET /cep/descarga.do?formato=XML HTTP/1.1\r\nHost: sandbox\r\n\
             Cookie: JSESSIONID={session}\r\n\r\n"
        );
        let (_, xml) = exchange(&mut stream, &request).await;
        assert!(xml.starts_with(b"<?xml"));
    }
}

async fn exchange(stream: &mut BufStream<TcpStream>, request: &str) -> (String, Vec<u8>) {
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let (_, length) = head.split_once("Content-Length: ").unwrap();
    let (length, _) = length.split_once('\r').unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    (head, body)
}
