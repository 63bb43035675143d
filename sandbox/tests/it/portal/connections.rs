//! Connections that are closed or stay silent.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::portal::support::{Form, Portal};

/// Asks for a payment on a connection of its own.
async fn post(portal: &Portal, amount: &str) -> TcpStream {
    let body = Form::of(amount).encoded();
    let request = format!(
        "POST /cep/valida.do HTTP/1.1\r\nHost: sandbox\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(portal.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_connection_is_closed_without_a_byte_and_others_stay_open() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    visitor.validate(&Form::new()).await;
    let mut received = Vec::new();
    let mut stream = post(&portal, "503.00").await;
    stream.read_to_end(&mut received).await.unwrap();
    assert!(received.is_empty());
    assert_eq!(visitor.download("XML").await.status, 200);
}

#[tokio::test]
async fn a_silent_request_delays_no_other() {
    let portal = Portal::start().await;
    let silent = post(&portal, "504.00").await;
    for _ in 0..20 {
        assert_eq!(portal.answer(&Form::new()).await.status, 200);
    }
    let heard = silent.try_read(&mut [0; 1]);
    assert_eq!(heard.unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[tokio::test]
async fn a_silent_request_ends_when_the_client_disconnects() {
    let mut portal = Portal::start().await;
    drop(post(&portal, "504.00").await);
    drop(portal.shutdown.take());
    let shut_down = Instant::now();
    portal.served.await.unwrap();
    // A connected client would delay the shutdown by a second.
    assert!(shut_down.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_shutdown_ends_silent_requests() {
    let mut portal = Portal::start().await;
    let mut silent = post(&portal, "504.00").await;
    portal.answer(&Form::new()).await;
    drop(portal.shutdown.take());
    portal.served.await.unwrap();
    let mut received = Vec::new();
    // Closed or reset: either way there was no response.
    let _ = silent.read_to_end(&mut received).await;
    assert!(received.is_empty());
    assert!(TcpStream::connect(portal.address).await.is_err());
}

#[tokio::test]
async fn header_names_are_written_as_recorded() {
    let portal = Portal::start().await;
    let mut received = String::new();
    let mut stream = post(&portal, "500.00").await;
    stream.read_to_string(&mut received).await.unwrap();
    assert!(received.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
    assert!(received.contains("\r\nSet-Cookie: JSESSIONID="));
    assert!(received.contains("\r\nContent-Type: text/html; charset=UTF-8\r\n"));
}
