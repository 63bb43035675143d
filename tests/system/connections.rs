//! Connections: an address that holds many leaves others theirs.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::gateway::{Gateway, Plan, eventually};
use crate::load::{Asker, connect, question};

/// Connections that are served at the same time.
const PLACES: usize = 400;
/// Connections of one address, in the proportion of 9,000 to the 8,192 that are served by default.
const IDLE: usize = 440;
/// Time for an answer: idle connections end after 5 s, and nobody may have to wait for that.
const AT_ONCE: Duration = Duration::from_secs(2);
const PROBE: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: gateway\r\n\r\n";

/// Connections from one address that send nothing.
async fn idle(gateway: &Gateway, from: [u8; 4]) -> Vec<TcpStream> {
    let mut connections = Vec::new();
    for _ in 0..IDLE {
        let connection = connect(from.into(), gateway.address).await;
        connections.push(connection.unwrap());
    }
    connections
}

/// The connections that the gateway closed.
async fn closed(connections: &mut [TcpStream]) -> usize {
    let mut closed = 0;
    for connection in connections {
        let read = tokio::time::timeout(Duration::ZERO, connection.read_u8()).await;
        closed += usize::from(read.is_ok());
    }
    closed
}

async fn status(gateway: &Gateway, from: [u8; 4], question: &[u8]) -> Option<u16> {
    let mut asker = Asker::new(gateway).from(from).patient(AT_ONCE);
    let answer = asker.ask(question).await;
    answer.ok().map(|answer| answer.status)
}

#[tokio::test]
async fn an_address_that_holds_many_connections_leaves_others_theirs() {
    let gateway = Plan::new().with("CEP_MAX_CONNECTIONS", PLACES).start();
    let key = gateway.roomy_key();
    let mut connections = idle(&gateway, [127, 0, 0, 1]).await;
    let another = status(&gateway, [127, 0, 0, 2], &question(&key)).await;
    assert_eq!(another, Some(200));
    assert_eq!(status(&gateway, [127, 0, 0, 1], PROBE).await, None);
    let are_closed = async || closed(&mut connections).await == IDLE - PLACES / 2;
    eventually("half of all are held", AT_ONCE, are_closed).await;
}

#[tokio::test]
async fn a_probe_is_answered_while_a_trusted_proxy_holds_all_connections() {
    let plan = Plan::new().with("CEP_MAX_CONNECTIONS", PLACES);
    let gateway = plan.with("CEP_TRUSTED_PROXIES", "127.0.0.9").start();
    let mut connections = idle(&gateway, [127, 0, 0, 9]).await;
    for host in [1, 2] {
        assert_eq!(status(&gateway, [127, 0, 0, host], PROBE).await, Some(200));
    }
    // It has all but those that are kept, one of these, and as many wait.
    let are_closed = async || closed(&mut connections).await == IDLE - PLACES - 1;
    eventually("the others are closed", AT_ONCE, are_closed).await;
}
