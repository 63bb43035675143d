//! `cep-gateway healthcheck`: asks a gateway on this machine whether it is up, for containers that
//! have no other program to ask with.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::reachable;

/// A gateway that is up answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(3);
const QUESTION: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

pub(super) async fn run(listen: SocketAddr) -> Result<()> {
    let address = reachable(listen);
    let asked = tokio::time::timeout(PATIENCE, ask(address)).await;
    let status =
        asked.with_context(|| format!("{address} doesn't answer within {PATIENCE:?}"))??;
    if status.starts_with(b"HTTP/1.1 200 ") {
        Ok(())
    } else {
        bail!("{address} answers {}", String::from_utf8_lossy(&status))
    }
}

/// The beginning of the answer's first line.
async fn ask(address: SocketAddr) -> Result<[u8; 16]> {
    let connected = TcpStream::connect(address).await;
    let mut stream = connected.with_context(|| format!("connecting to {address} (CEP_LISTEN)"))?;
    stream.write_all(QUESTION).await.context("asking")?;
    let mut status = [0; 16];
    stream.read_exact(&mut status).await.context("listening")?;
    Ok(status)
}
