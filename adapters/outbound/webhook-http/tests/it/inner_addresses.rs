//! Addresses of inner networks: no byte reaches them, however they are spelt.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::DateTime;
use domain::webhooks::{DeliveryId, Reach, SendFailure, WebhookUrl};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use ports::outbound::{OutgoingMessage, WebhookSender};
use tokio::net::TcpListener;
use uuid::Uuid;
use webhook_http::{HttpSender, NameLookup};

use crate::install_tls;
use crate::receiver::{Receiver, Scripted};

/// Spellings of inner addresses, as hosts of a URL.
const HOSTS: [&str; 66] = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0X7F.0x0.0x0.0x1",
    "017700000001",
    "0177.0.0.1",
    "0177.1",
    "00000177.0.0.01",
    "0",
    "0.0.0.0",
    "0x0",
    "10.0.0.1",
    "10.1",
    "167772161",
    "0xa000001",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "3232235521",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "%31%32%37.0.0.1",
    "127%2E0%2E0%2E1",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "ⓛocalhost",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "cep.localhost",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "intranet",
];

/// Connections to every address of this machine at the port of webhooks.
async fn canary(address: &str) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(address).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, connections)
}

/// A receiver on the loopback interface, a sender that may reach it, and a message to it.
async fn receiver() -> (Receiver, HttpSender, OutgoingMessage) {
    install_tls();
    let receiver = Receiver::default();
    let address = receiver.start().await;
    let sender = HttpSender::new(Reach::PublicAndLoopback).unwrap();
    let message = message(&format!("http://{address}/hooks")).unwrap();
    (receiver, sender, message)
}

fn message(url: &str) -> Option<OutgoingMessage> {
    Some(OutgoingMessage {
        url: WebhookUrl::from_stored(url)?,
        id: DeliveryId(Uuid::from_u128(1)),
        at: DateTime::UNIX_EPOCH,
        signature: "v1,none".to_owned(),
        body: "{}".to_owned(),
    })
}

/// One address for every name.
struct Always(IpAddr);

impl NameLookup for Always {
    fn addresses(&self, _name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        futures::future::ready(Ok(vec![self.0])).boxed()
    }
}

#[tokio::test]
async fn no_byte_reaches_an_inner_address() {
    install_tls();
    let (_, canary) = canary("[::]:8443").await;
    let system = HttpSender::new(Reach::Public).unwrap();
    for host in HOSTS {
        for url in [
            format!("https://{host}:8443/"),
            format!("https://me@{host}:8443/"),
        ] {
            assert!(WebhookUrl::parse(&url, Reach::Public).is_err(), "{url}");
            if let Some(message) = message(&url) {
                let sent = system.send(&message).await;
                assert_eq!(sent, Err(SendFailure::AddressRefused), "{url}");
            }
        }
    }
    // Names that lead inside.
    for address in [
        "127.0.0.1",
        "::1",
        "10.0.0.1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
    ] {
        let names = Arc::new(Always(address.parse().unwrap()));
        let sender = HttpSender::with_names(Reach::Public, names).unwrap();
        let message = message("https://hooks.example:8443/").unwrap();
        let sent = sender.send(&message).await;
        assert_eq!(sent, Err(SendFailure::AddressRefused), "{address}");
    }
    assert_eq!(canary.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let (receiver, sender, message) = receiver().await;
    let (port, canary) = canary("127.0.0.1:0").await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("http://127.0.0.1:{port}/");
        receiver.answers([Scripted::with(status, "location", &location)]);
        let answer = sender.send(&message).await.unwrap();
        assert_eq!(answer.status, status);
    }
    assert_eq!(canary.load(Ordering::SeqCst), 0);
    assert_eq!(receiver.arrived().len(), 5);
}

#[tokio::test]
async fn this_machine_is_refused_unless_it_is_allowed() {
    let (receiver, _, message) = receiver().await;
    let sender = HttpSender::new(Reach::Public).unwrap();
    let sent = sender.send(&message).await;
    assert_eq!(sent, Err(SendFailure::AddressRefused));
    assert!(receiver.arrived().is_empty());
}

#[tokio::test]
async fn long_answers_are_read_in_part() {
    let (receiver, sender, message) = receiver().await;
    receiver.answers([Scripted {
        body: vec![b'a'; 1 << 20],
        ..Scripted::with(503, "retry-after", "7")
    }]);
    let answer = sender.send(&message).await.unwrap();
    assert_eq!(answer.body, vec![b'a'; 8 << 10]);
    assert_eq!(answer.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_receiver_that_is_not_there_is_unreachable() {
    install_tls();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let sender = HttpSender::new(Reach::PublicAndLoopback).unwrap();
    let message = message(&format!("http://{address}/")).unwrap();
    let sent = sender.send(&message).await;
    assert_eq!(sent, Err(SendFailure::Unreachable));
}
