//! Stored lookups: nobody waits, a process dies, replicas share the work, and a stolen database shows
//! nothing.

mod incomplete_questions;
pub(crate) mod outages;
mod replicas;

use std::ops::Range;
use std::time::Duration;

use domain::proofs::Proof;
use futures::StreamExt as _;
use futures::stream;
use reqwest::Response;
use serde_json::{Value, json};

use crate::archive::{AMOUNT, assert_nothing_is_kept};
use crate::gateway::{CountingBank, Gateway, Key, Plan, json_of, left, request, soon};
use crate::metrics::Measured;
use crate::person::{Demo, Person};

/// Requests under way at once.
const CALLERS: usize = 8;

async fn create(gateway: &Gateway, key: &Key, number: u32, prefer: &str) -> Response {
    let mut body = request(number, AMOUNT);
    body["metadata"] = json!({ "pedido": format!("orden-confidencial-{number}") });
    let asking = gateway.asking("lookups", key).header("prefer", prefer);
    asking.body(body.to_string()).send().await.unwrap()
}

async fn read(gateway: &Gateway, key: &Key, path: &str) -> Response {
    gateway.read(&format!("/v1/cep/lookups/{path}"), key).await
}

/// The id of a lookup that goes on, or whose bank was faster than its answer.
async fn begun(answer: Response) -> String {
    let status = answer.status().as_u16();
    assert!(matches!(status, 200 | 202), "{status}");
    let lookup = json_of(answer, status).await;
    lookup["id"].as_str().unwrap().to_owned()
}

/// Creates so many lookups, and waits for none of them; returns their ids.
async fn begin_many(gateway: &Gateway, key: &Key, numbers: Range<u32>) -> Vec<String> {
    let begun = stream::iter(numbers).map(|number| async move {
        let answer = create(gateway, key, number, "wait=0").await;
        begun(answer).await
    });
    begun.buffer_unordered(CALLERS).collect().await
}

/// Waits until each of these is delivered.
async fn all_delivered(gateway: &Gateway, key: &Key, ids: &[String]) {
    let delivered = stream::iter(ids).map(|id| delivered(gateway, key, id));
    let all = delivered.buffer_unordered(CALLERS);
    all.collect::<Vec<_>>().await;
}

/// The lookup once it is delivered.
async fn delivered(gateway: &Gateway, key: &Key, id: &str) -> Value {
    for _ in 0..10 {
        let lookup = json_of(read(gateway, key, &format!("{id}?wait=10")).await, 200).await;
        if lookup["state"] == "delivered" {
            return lookup;
        }
    }
    panic!("{id} isn't delivered");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_thousand_lookups_is_in_the_database_or_the_log() {
    const LOOKUPS: u32 = 1_000;
    let (bank, gateway, key) = CountingBank::with_gateway().await;
    let ids = stream::iter(0..LOOKUPS).map(async |number| {
        let answer = create(&gateway, &key, number, "wait=25").await;
        let lookup = json_of(answer, 200).await;
        assert_eq!(lookup["state"], "delivered", "{number}");
        lookup["id"].as_str().unwrap().to_owned()
    });
    let ids: Vec<_> = ids.buffer_unordered(CALLERS).collect().await;
    let mut proofs = Vec::new();
    for id in &ids[..100] {
        let xml = read(&gateway, &key, &format!("{id}/xml")).await;
        assert_eq!(xml.status(), 200, "{id}");
        proofs.push(Proof::parse(&xml.bytes().await.unwrap()).unwrap());
    }
    assert_eq!(bank.cycles().len(), LOOKUPS as usize);
    assert_nothing_is_kept(gateway, &proofs, &["orden-confidencial"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lookup_outlives_the_process_that_died_in_its_attempt() {
    let bank = CountingBank::start(Duration::ZERO).await;
    let gateway = bank.gateway();
    let key = gateway.key(&["--env", "live", "--monthly-quota", "100"]);
    bank.hang();
    let id = begun(create(&gateway, &key, 1, "wait=0").await).await;
    soon("the bank is asked", async || {
        let lookup = json_of(read(&gateway, &key, &id).await, 200).await;
        lookup["state"] == "running" && !bank.asked().is_empty()
    })
    .await;
    let gateway = bank.gateway_in(gateway.kill());
    bank.answer();
    let lookup = delivered(&gateway, &key, &id).await;
    assert_eq!(lookup["attempt_count"], 1);
    assert!(bank.cycles().len() <= 2, "the bank was asked once more");
    let again = read(&gateway, &key, &id).await;
    assert_eq!(left(&again, "month"), 99, "it is charged once");
}

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
        let id = begun(create(&gateway, &modest, number, "wait=0").await).await;
        delivered(&gateway, &modest, &id).await;
        // Those under way, and those that were claimed while it was read.
        let meanwhile = ended(&gateway).await - before;
        assert!(meanwhile <= 15.0, "{meanwhile} lookups went first");
    }
    assert!(ended(&gateway).await < 400.0, "nobody was greedy any more");
}
