//! Guessed keys: whoever shares an address with somebody who guesses is served, with new keys too.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use testkit::redis::Redis;

use crate::fleet::Fleet;
use crate::gateway::{Gateway, Key, Plan, eventually};
use crate::load::{Answer, Asker, question};
use crate::person::{Demo, Person};

/// Guesses, at the least, beside new keys.
const GUESSES: usize = 2_000;
/// Connections over which somebody guesses.
const CONNECTIONS: usize = 150;
/// New keys beside the guesses.
const NEW_KEYS: usize = 10;

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

    async fn stop_after(&self, guesses: usize) {
        eventually(
            "there were enough guesses",
            Duration::from_mins(2),
            async || self.guesses.load(Ordering::Relaxed) >= guesses,
        )
        .await;
        self.is_stopped.store(true, Ordering::Relaxed);
    }
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

/// Creates keys in all ways there are, one after another.
struct KeyMaker<'a> {
    gateway: &'a Gateway,
    person: Person,
}

impl KeyMaker<'_> {
    async fn key(&self, number: usize) -> Key {
        match number % 4 {
            0 => self.gateway.key(&[]),
            1 => self.person.create_key("rest", "test").await,
            2 => self.by_graphql().await,
            _ => self.rotated().await,
        }
    }

    async fn by_graphql(&self) -> Key {
        let create = "mutation { createKey(input: { name: \"graphql\", environment: TEST }) {
            secret key { id prefix } } }";
        let created = self.person.ask(create, json!({})).await;
        secret_key(&created["createKey"], "key")
    }

    async fn rotated(&self) -> Key {
        let old = self.person.create_key("rotated", "test").await;
        let rotate = "mutation($id: ID!) { rotateKey(input: { id: $id, graceHours: 1 }) {
            secret newKey { id prefix } } }";
        let rotated = self.person.ask(rotate, json!({ "id": old.id })).await;
        secret_key(&rotated["rotateKey"], "newKey")
    }
}

/// The key in the payload of a mutation, in this member.
fn secret_key(payload: &Value, member: &str) -> Key {
    let [id, prefix] = ["id", "prefix"].map(|name| payload[member][name].clone());
    Key::read(&json!({ "id": id, "prefix": prefix, "api_key": payload["secret"] }))
}

/// Has somebody guess at the gateways, and makes new keys beside it: each is good at once on each of
/// them.
async fn new_keys_are_good_beside_guesses(gateways: &[Gateway]) {
    let person = Person::signed_in(&gateways[0], Demo::Member).await;
    let maker = KeyMaker {
        gateway: &gateways[0],
        person,
    };
    let guesser = Guesser::default();
    let work = async {
        eventually(
            "guesses aren't looked up",
            Duration::from_mins(1),
            async || guesser.unchecked.load(Ordering::Relaxed) >= CONNECTIONS,
        )
        .await;
        for number in 0..NEW_KEYS {
            let key = maker.key(number).await;
            let asked = gateways.iter().map(async |gateway| {
                let answer = Asker::new(gateway).ask(&question(&key)).await.unwrap();
                answer.status
            });
            let statuses = join_all(asked).await;
            assert_eq!(statuses, vec![200; gateways.len()], "key {number}");
        }
        guesser.stop_after(GUESSES).await;
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
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let Some(fleet) = Fleet::of_three(&redis) else {
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
