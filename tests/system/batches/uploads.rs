//! Uploads of an account's tables, with a key and with a session.

use std::time::Duration;

use reqwest::Method;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::table;
use crate::gateway::{Gateway, Key, json_of};
use crate::person::{Demo, Person};

/// Longest time that an answer takes which nothing delays.
const SOON: Duration = Duration::from_secs(20);
/// Time in which an answer that must not come yet would have come.
const A_WHILE: Duration = Duration::from_millis(500);

/// A slow sender of a table, whose body is being read.
async fn slow(gateway: &Gateway, key: &Key) -> TcpStream {
    let mut sender = TcpStream::connect(gateway.address).await.unwrap();
    let head = format!(
        "POST /v1/cep/batches HTTP/1.1\r\nhost: x\r\nx-api-key: {}\r\ncontent-type: text/csv\r\n\
         content-length: 1000\r\nexpect: 100-continue\r\n\r\n",
        key.full
    );
    sender.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    let read = timeout(SOON, sender.read_exact(&mut answer)).await;
    read.expect("its body is wanted").unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    sender
}

#[tokio::test]
async fn an_account_sends_two_tables_at_a_time_with_its_keys_and_sessions_together() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let key = member.create_key("contabilidad", "test").await;
    let mut senders = vec![slow(&gateway, &key).await, slow(&gateway, &key).await];
    let path = format!("/v1/cep/batches?key_id={}", key.id);
    let creating = member.request(Method::POST, &path);
    let creating = creating
        .header("content-type", "text/csv")
        .body(table(1, 2));
    let mut creating = Box::pin(creating.send());
    let waiting = timeout(A_WHILE, &mut creating).await;
    assert!(waiting.is_err(), "it waits: {waiting:?}");
    senders.pop();
    let created = timeout(SOON, creating).await.unwrap().unwrap();
    assert_eq!(json_of(created, 202).await["counts"]["rows"], 2);
}
