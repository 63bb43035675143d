//! A minimal closed-loop HTTP/1.1 client, the same for the gateway and its baselines.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// A kept-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The parts of an answer that benchmarks read.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Its head, header names as they came.
    pub(crate) head: String,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends one request and reads its answer to the end.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Result<Answer> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            self.more().await?;
            let mut windows = self.buffer.windows(4);
            if let Some(head_length) = windows.position(|window| window == b"\r\n\r\n") {
                return self.finish(head_length).await;
            }
        }
    }

    /// Sends one request, which must succeed.
    pub(crate) async fn succeed(&mut self, request: &[u8]) -> Result<Answer> {
        let answer = self.ask(request).await?;
        ensure!(answer.status == 200, "{}", answer.head);
        Ok(answer)
    }

    /// The body of the last answer, if its length was declared.
    pub(crate) fn body(&self, answer: &Answer) -> &[u8] {
        self.buffer.get(answer.head.len() + 4..).unwrap_or_default()
    }

    async fn finish(&mut self, head_length: usize) -> Result<Answer> {
        let head = String::from_utf8_lossy(&self.buffer[..head_length]).into_owned();
        let status = head.get(9..12).context("no status")?.parse()?;
        let lower = head.to_ascii_lowercase();
        if let Some((_, rest)) = lower.split_once("content-length:") {
            let length: usize = rest.lines().next().context("no length")?.trim().parse()?;
            while self.buffer.len() < head_length + 4 + length {
                self.more().await?;
            }
        } else {
            while !self.buffer.ends_with(b"0\r\n\r\n") {
                self.more().await?;
            }
        }
        Ok(Answer { status, head })
    }

    async fn more(&mut self) -> Result<()> {
        let count = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(count > 0, "the connection was closed");
        Ok(())
    }
}

/// A POST of a body with a header field that names the caller.
pub(crate) fn post(path: &str, caller: &str, media_type: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: bench\r\n{caller}\r\ncontent-type: {media_type}\r\n\
         content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// A lookup of the transfer with this number.
pub(crate) fn lookup(endpoint: &str, api_key: &str, number: u64) -> Vec<u8> {
    let body = format!(
        "{{\"fecha\":\"2026-11-18\",\"clave_rastreo\":\"MBAN01002611180{number:09}\",\
         \"cuenta\":\"002010077777777771\",\"monto\":1234.56,\"emisor\":\"40012\",\"receptor\":\"40002\"}}"
    );
    let (path, caller) = (
        format!("/v1/cep/{endpoint}"),
        format!("x-api-key: {api_key}"),
    );
    post(&path, &caller, "application/json", body.as_bytes())
}

/// A question for the state of the gateway.
pub(crate) const PROBE: &[u8] = b"GET /readyz HTTP/1.1\r\nhost: bench\r\n\r\n";

/// Requests and the addresses they are sent to.
pub(crate) struct Load {
    addresses: Vec<SocketAddr>,
    requests: Vec<Vec<u8>>,
    asked: AtomicUsize,
}

impl Load {
    /// Requests that are sent in turn, on connections that are shared out among the addresses.
    pub(crate) fn new(addresses: Vec<SocketAddr>, requests: Vec<Vec<u8>>) -> Arc<Self> {
        Arc::new(Self {
            addresses,
            requests,
            asked: AtomicUsize::new(0),
        })
    }

    /// Times that each request was sent.
    pub(crate) fn rounds(&self) -> usize {
        self.asked.load(Ordering::Relaxed) / self.requests.len().max(1)
    }

    /// Connects, to another address each time.
    pub(crate) async fn connect(&self, number: usize) -> Result<Connection> {
        Connection::open(self.addresses[number % self.addresses.len()]).await
    }

    /// Sends the next request; returns the status of its answer.
    pub(crate) async fn ask(&self, connection: &mut Connection) -> Result<u16> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let request = &self.requests[number % self.requests.len()];
        Ok(connection.ask(request).await?.status)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Throughput {
    pub(crate) answered: usize,
    /// Requests that were answered with another status than 200.
    pub(crate) failed: usize,
    pub(crate) rate: f64,
    /// The latency that one in a hundred exceeds.
    pub(crate) p99: Duration,
}

/// Runs so many connections, each sending again as soon as it is answered, for `span`.
pub(crate) async fn throughput(
    load: &Arc<Load>,
    connections: usize,
    span: Duration,
) -> Result<Throughput> {
    let until = Instant::now() + span;
    let mut asking = JoinSet::new();
    for number in 0..connections {
        let load = Arc::clone(load);
        asking.spawn(async move {
            let mut connection = load.connect(number).await?;
            let (mut latencies, mut failed) = (Vec::new(), 0);
            while Instant::now() < until {
                let started = Instant::now();
                match load.ask(&mut connection).await? {
                    200 => latencies.push(started.elapsed()),
                    _ => failed += 1,
                }
            }
            anyhow::Ok((latencies, failed))
        });
    }
    let (mut latencies, mut failed) = (Vec::new(), 0);
    while let Some(asked) = asking.join_next().await {
        let (own, own_failed) = asked??;
        latencies.extend(own);
        failed += own_failed;
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for a table")]
    let rate = latencies.len() as f64 / span.as_secs_f64();
    Ok(Throughput {
        answered: latencies.len(),
        failed,
        rate,
        p99: percentile(&mut latencies, 99),
    })
}

/// The percentile of these latencies, which get sorted.
pub(crate) fn percentile(latencies: &mut [Duration], percent: usize) -> Duration {
    latencies.sort_unstable();
    let place = (latencies.len() * percent / 100).min(latencies.len().saturating_sub(1));
    latencies.get(place).copied().unwrap_or_default()
}
