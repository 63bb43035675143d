//! One caller beside others that ask for too much, or send too slowly.

use std::time::{Duration, Instant};

use futures::future::{join_all, select};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{begin_many, create, delivered};
use crate::archive::AMOUNT;
use crate::gateway::{Gateway, Key, Plan, json_of, request};
use crate::metrics::Measured;
use crate::person::{Demo, Person};

/// Senders of a byte now and then.
const SLOW_SENDERS: usize = 20;
/// Time that a request's body may take, and room for a busy machine.
const BODY_DEADLINE: Duration = Duration::from_secs(20);

/// Lookups that were delivered so far.
async fn ended(gateway: &Gateway) -> f64 {
    let measured = Measured::of(gateway).await;
    measured.value("cep_lookups_ended_total{state=\"delivered\"}")
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_queued_lookups_do_not_delay_another_customers_one() {
    // Three attempts at once for those who don't wait, each 0.2 s.
    let gateway = Plan::new()
        .with("CEP_WORKERS", 4)
        .with("CEP_SANDBOX_LATENCY", 200)
        .start();
    let greedy = gateway.roomy_key();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let modest = person.create_key("modest", "test").await;
    begin_many(&gateway, &greedy, 0..500).await;
    for number in 1_000..1_003 {
        let before = ended(&gateway).await;
        let created = create(&gateway, &modest, number, "wait=0").await;
        let created = json_of(created, 202).await;
        let id = created["id"].as_str().unwrap();
        delivered(&gateway, &modest, id).await;
        // Those under way, and those that were claimed while it was read.
        let meanwhile = ended(&gateway).await - before;
        assert!(meanwhile <= 15.0, "{meanwhile} lookups went first");
    }
    assert!(ended(&gateway).await < 400.0, "nobody was greedy any more");
}

/// Sends a request for a lookup, a byte every 0.1 s, until it is answered; returns the answer.
async fn drip(gateway: &Gateway, key: &Key) -> String {
    let body = request(1, AMOUNT).to_string();
    let head = format!(
        "POST /v1/cep/lookups HTTP/1.1\r\nhost: gateway\r\nx-api-key: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        key.full,
        body.len() + 10_000
    );
    let stream = TcpStream::connect(gateway.address).await.unwrap();
    let (mut receiver, mut sender) = stream.into_split();
    sender.write_all(head.as_bytes()).await.unwrap();
    let sending = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        for byte in body.bytes().cycle() {
            ticks.tick().await;
            if sender.write_all(&[byte]).await.is_err() {
                break;
            }
        }
        // The answer ends the other half.
        std::future::pending::<()>().await;
    };
    let answer = async {
        let mut answer = vec![0; 12];
        let read = receiver.read_exact(&mut answer).await;
        assert!(read.is_ok(), "no answer: {read:?}");
        String::from_utf8(answer).unwrap()
    };
    match select(Box::pin(answer), Box::pin(sending)).await {
        futures::future::Either::Left((answer, _)) => answer,
        futures::future::Either::Right(_) => unreachable!("it never ends"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn senders_that_drip_delay_nobody_and_are_cut_off() {
    let (gateway, key) = Gateway::with_key();
    let begun = Instant::now();
    let dripping = async {
        let answers = join_all((0..SLOW_SENDERS).map(|_| drip(&gateway, &key))).await;
        assert!(
            answers.iter().all(|answer| answer == "HTTP/1.1 408"),
            "{answers:?}"
        );
        begun.elapsed()
    };
    let others = async {
        for number in 100..130 {
            let asked = Instant::now();
            let answer = create(&gateway, &key, number, "wait=5").await;
            assert_eq!(answer.status(), 200);
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(2), "{took:?}");
        }
        begun.elapsed()
    };
    let (cut_off, others) = tokio::join!(dripping, others);
    assert!(others < cut_off, "nobody dripped any more");
    assert!(cut_off < BODY_DEADLINE, "{cut_off:?}");
}
