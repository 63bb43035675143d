//! A closed-loop HTTP/1.1 client as light as it gets, the same for the gateway and its baselines.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, as much of it as benchmarks look at.
pub(crate) struct Answer {
    /// Its status.
    pub(crate) status: u16,
    /// Its head, header names as they came.
    pub(crate) head: String,
}

impl Connection {
    /// Connects.
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
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                bail!("the connection was closed");
            }
            if let Some(head_length) = self
                .buffer
                .windows(4)
                .position(|window| window == b"\r\n\r\n")
            {
                return self.finish(head_length).await;
            }
        }
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
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the connection was closed");
        }
        Ok(())
    }
}

/// A POST with a JSON body.
pub(crate) fn post(path: &str, api_key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: bench\r\nx-api-key: {api_key}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The body of a request for a transfer of its own.
pub(crate) fn body(number: u64) -> String {
    format!(
        "{{\"fecha\":\"2026-11-18\",\"clave_rastreo\":\"MBAN01002611180{number:09}\",\
         \"cuenta\":\"002010077777777771\",\"monto\":1234.56,\"emisor\":\"40012\",\"receptor\":\"40002\"}}"
    )
}

/// Requests a second that `connections` get, each asking the same again and again for `span`, and
/// the 99th percentile of their latencies.
pub(crate) async fn throughput(
    address: SocketAddr,
    request: Vec<u8>,
    connections: usize,
    span: Duration,
) -> Result<(f64, Duration)> {
    let request = Arc::new(request);
    let until = Instant::now() + span;
    let askers: Vec<_> = (0..connections)
        .map(|_| {
            let request = Arc::clone(&request);
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await?;
                let mut latencies = Vec::new();
                while Instant::now() < until {
                    let started = Instant::now();
                    let answer = connection.ask(&request).await?;
                    if answer.status != 200 {
                        bail!("an answer was {}", answer.status);
                    }
                    latencies.push(started.elapsed());
                }
                Ok(latencies)
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for asker in askers {
        latencies.extend(asker.await??);
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for a table")]
    let rate = latencies.len() as f64 / span.as_secs_f64();
    Ok((rate, percentile(&mut latencies, 99)))
}

/// The percentile of these, which get sorted.
pub(crate) fn percentile(latencies: &mut [Duration], percent: usize) -> Duration {
    latencies.sort_unstable();
    latencies
        .get((latencies.len() * percent / 100).min(latencies.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}
