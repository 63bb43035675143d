//! Requests with an idempotency key: repeated on other replicas, at once, and after a restart.

use std::collections::HashSet;
use std::time::Duration;

use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::Value;

use crate::archive::{AMOUNT, everything_under};
use crate::fleet::Fleet;
use crate::gateway::{CountingBank, Gateway, Key, request};

/// Requests at once.
const CALLERS: u32 = 200;

/// An answer: its status, body and whether it was given before.
type Answer = (StatusCode, Vec<u8>, bool);

async fn ask(gateway: &Gateway, key: &Key, endpoint: &str, name: &str, body: &Value) -> Answer {
    let asking = gateway
        .asking(endpoint, key)
        .header("idempotency-key", name);
    let answer = asking.body(body.to_string()).send().await.unwrap();
    let status = answer.status();
    let is_replayed = answer.headers().contains_key("idempotent-replayed");
    (status, answer.bytes().await.unwrap().into(), is_replayed)
}

/// Repeats a request as it is told to: while the first one runs, and when a busy machine answers nobody for a moment.
async fn answered(gateway: &Gateway, key: &Key, endpoint: &str, name: &str) -> Answer {
    let body = request(1, AMOUNT);
    loop {
        let answer = ask(gateway, key, endpoint, name, &body).await;
        if ![409, 503].contains(&answer.0.as_u16()) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Has one request made by many callers at once, and asserts that it was made once.
async fn is_made_once(gateways: &[&Gateway], key: &Key, bank: &CountingBank) {
    let callers = |endpoint: &'static str| {
        let asked = gateways.iter().cycle().take(CALLERS as usize);
        join_all(asked.map(move |gateway| answered(gateway, key, endpoint, "order-1")))
    };
    let proofs = callers("xml").await;
    let (status, xml, _) = &proofs[0];
    assert_eq!(*status, 200);
    for (other, body, _) in &proofs {
        assert_eq!((other, body), (status, xml));
    }
    let first = proofs.iter().filter(|(.., is_replayed)| !is_replayed);
    assert_eq!(first.count(), 1);
    assert_eq!(bank.cycles().len(), 1);

    let lookups = callers("lookups").await;
    let ids: HashSet<_> = lookups
        .iter()
        .map(|(status, body, _)| {
            assert!(status.is_success(), "{status}");
            let lookup: Value = serde_json::from_slice(body).unwrap();
            lookup["id"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_200_requests_with_one_name_on_three_replicas_one_is_charged() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let Some((_redis, fleet)) = Fleet::on_redis(3, |_, plan| bank.known_to(plan)) else {
        return;
    };
    let replicas: Vec<_> = fleet.replicas.iter().collect();
    let key = replicas[0].live_key();
    is_made_once(&replicas, &key, &bank).await;
    assert_eq!(fleet.charged(&key), 2, "a proof and a lookup");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_a_repeated_request_gets_the_first_answer_from_the_archive() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let key = gateway.key(&["--env", "live", "--monthly-quota", "100"]);
    is_made_once(&[&gateway], &key, &bank).await;
    let (_, xml, _) = answered(&gateway, &key, "xml", "order-1").await;

    let gateway = bank.gateway_in(gateway.stop());
    let (status, again, is_replayed) = answered(&gateway, &key, "xml", "order-1").await;
    assert_eq!((status, is_replayed), (StatusCode::OK, true));
    assert_eq!(again, xml);
    assert_eq!(bank.cycles().len(), 1, "the bank was asked once");
    let other = request(2, AMOUNT);
    let (status, ..) = ask(&gateway, &key, "xml", "order-1", &other).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(gateway.used(&key), 2, "a proof and a lookup");

    let folder = gateway.stop();
    let database = everything_under(&folder.path().join("data"));
    assert!(!database.windows(7).any(|part| part == b"order-1"));
}
