//! Guessed keys: whoever shares an address with somebody who guesses is served, with new keys too.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use serde_json::json;

use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key, Plan, eventually};
use crate::load::{Answer, Asker, question};
use crate::person::{Demo, Person};
use crate::rotation::{rotated, secret_key};

/// Guesses, at the least, beside new keys.
const GUESSES: usize = 2_000;
/// Connections over which somebody guesses.
const CONNECTIONS: usize = 150;
/// New keys beside the guesses.
const NEW_KEYS: usize = 10;
const PATIENCE: Duration = Duration::from_mins(2);

/// A question with the `number`th guessed key, and this line in its head.
fn guess(number: usize, line: &str) -> Vec<u8> {
    let body = "{}";
    format!(
        "POST /v1/cep/xml HTTP/1.1\r\nhost: gateway\r\nx-api-key: cep_test_Gu{number:06}.{}\r\n{line}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        "0".repeat(24),
        body.len()
    )
    .into_bytes()
}

/// Somebody who guesses at all gateways, until told to stop.
#[derive(Default)]
struct Guesser {
    guesses: AtomicUsize,
    /// Guesses that couldn't be looked up.
    unchecked: AtomicUsize,
    is_stopped: AtomicBool,
}

impl Guesser {
    async fn guess(&self, gateways: &[Gateway]) {
        join_all((0..CONNECTIONS).map(async |connection| {
            let mut asker = Asker::new(&gateways[connection % gateways.len()]);
            while !self.is_stopped.load(Ordering::Relaxed) {
                let number = self.guesses.fetch_add(1, Ordering::Relaxed);
                let answer = asker.ask(&guess(number, "")).await.unwrap();
                if is_unchecked(&answer) {
                    self.unchecked.fetch_add(1, Ordering::Relaxed);
                }
            }
        }))
        .await;
    }
}

async fn are_so_many(guesses: &AtomicUsize, number: usize) {
    let are_enough = async || guesses.load(Ordering::Relaxed) >= number;
    eventually("there are enough guesses", PATIENCE, are_enough).await;
}

/// Returns whether a wrong key couldn't be looked up; fails unless the answer is one that a wrong key
/// gets.
fn is_unchecked(answer: &Answer) -> bool {
    match (answer.status, answer.header("retry-after")) {
        (401, None) => false,
        // Those that were being looked up at the same time count, too: fifteen more than the bound.
        (503, Some("1" | "2" | "3" | "4")) => true,
        _ => panic!("{answer:?}"),
    }
}

/// Creates a key, in all ways there are one after another.
async fn new_key(gateway: &Gateway, person: &Person, number: usize) -> Key {
    match number % 4 {
        0 => gateway.key(&[]),
        1 => person.create_key("rest", "test").await,
        2 => {
            let create = "mutation { createKey(input: { name: \"graphql\", env: TEST }) {
                apiKey key { id prefix } } }";
            let created = person.ask(create, json!({})).await;
            secret_key(&created["createKey"], "key")
        }
        _ => rotated(person, &person.create_key("rotated", "test").await, 1).await,
    }
}

/// Has somebody guess at the gateways, and makes new keys beside it: each is good at once on each of
/// them.
async fn new_keys_are_good_beside_guesses(gateways: &[Gateway]) {
    let person = Person::signed_in(&gateways[0], Demo::Member).await;
    let guesser = Guesser::default();
    let work = async {
        are_so_many(&guesser.unchecked, CONNECTIONS).await;
        for number in 0..NEW_KEYS {
            let key = new_key(&gateways[0], &person, number).await;
            let asked = gateways.iter().map(async |gateway| {
                let answer = Asker::new(gateway).ask(&question(&key)).await.unwrap();
                answer.status
            });
            let statuses = join_all(asked).await;
            assert_eq!(statuses, vec![200; gateways.len()], "key {number}");
        }
        are_so_many(&guesser.guesses, GUESSES).await;
        guesser.is_stopped.store(true, Ordering::Relaxed);
    };
    tokio::join!(guesser.guess(gateways), work);
}

#[tokio::test(flavor = "multi_thread")]
async fn new_keys_are_good_at_once_beside_guesses_from_their_address() {
    let gateway = Gateway::start();
    new_keys_are_good_beside_guesses(&[gateway]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_keys_are_good_at_once_on_every_replica_beside_guesses_from_their_address() {
    let Some((_redis, fleet)) = Fleet::of_three() else {
        return;
    };
    new_keys_are_good_beside_guesses(&fleet.replicas).await;
}

/// Guesses with these lines in their heads, one after another, and returns how many couldn't be looked
/// up.
async fn unchecked(asker: &mut Asker, lines: impl Iterator<Item = String>) -> usize {
    let mut unchecked = 0;
    for (number, line) in lines.enumerate() {
        let answer = asker.ask(&guess(number, &line)).await.unwrap();
        unchecked += usize::from(is_unchecked(&answer));
    }
    unchecked
}

#[tokio::test]
async fn callers_behind_a_trusted_proxy_are_told_apart() {
    let gateway = Plan::new().with("CEP_TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8");
    let gateway = gateway.start();
    let mut proxy = Asker::new(&gateway);
    // What the caller wrote itself stands before what the proxies appended.
    let guesses = (0..100)
        .map(|number| format!("x-forwarded-for: 198.51.100.{number}, 203.0.113.9, 10.1.1.1\r\n"));
    assert!(unchecked(&mut proxy, guesses).await > 5);
    let neighbours = (0..10).map(|_| "forwarded: for=203.0.113.10\r\n".to_owned());
    assert_eq!(unchecked(&mut proxy, neighbours).await, 0);
}

#[tokio::test]
async fn a_caller_without_a_proxy_can_choose_no_address() {
    let gateway = Plan::new().with("CEP_TRUSTED_PROXIES", "127.0.0.1").start();
    let mut caller = Asker::new(&gateway).from([127, 0, 0, 2]);
    let guesses = (0..80).map(|number| format!("x-forwarded-for: 198.51.100.{number}\r\n"));
    assert!(unchecked(&mut caller, guesses).await > 5);
}
