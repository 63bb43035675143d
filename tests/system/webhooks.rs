//! Webhooks: an ended lookup is told within a second, a process that dies sends nothing twice under
//! another id, and the page's code verifies messages.

mod page;
pub(crate) mod receiver;

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::gateway::{Gateway, Key, Plan, eventually, json_of, request, soon};
use crate::metrics::Measured;
use crate::person::{Demo, Person};
use receiver::{Message, Receiver};

/// A gateway that may send webhooks to this machine.
fn plan() -> Plan {
    Plan::new().with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on")
}

struct Webhook {
    path: String,
    secret: String,
}

/// A receiver, a gateway and a member, whose webhook tells the receiver the ends of `test` lookups.
async fn subscribed() -> (Receiver, Gateway, Person, Webhook) {
    let receiver = Receiver::start().await;
    let gateway = plan().start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let body = json!({
        "url": receiver.url(),
        "events": ["lookup.delivered", "lookup.not_found"],
        "env": "test",
    });
    let added = person.send(Method::POST, "/webhooks", &body, 201).await;
    let id = added["webhook"]["id"].as_str().unwrap();
    let webhook = Webhook {
        path: format!("/webhooks/{id}"),
        secret: added["secret"].as_str().unwrap().to_owned(),
    };
    (receiver, gateway, person, webhook)
}

/// Creates a lookup, and returns its id once it has ended.
async fn ended(gateway: &Gateway, key: &Key, number: u32) -> String {
    let asking = gateway.asking("lookups", key).header("prefer", "wait=20");
    let body = request(number, "10.00").to_string();
    let lookup = json_of(asking.body(body).send().await.unwrap(), 200).await;
    lookup["id"].as_str().unwrap().to_owned()
}

async fn arrived(receiver: &Receiver, number: usize) -> Vec<Message> {
    let have_arrived = async || receiver.messages().len() >= number;
    soon("the messages arrive", have_arrived).await;
    receiver.messages()
}

#[tokio::test]
async fn the_end_of_a_lookup_is_told_within_a_second() {
    let (receiver, gateway, person, webhook) = subscribed().await;
    let key = person.create_key("caja 4", "test").await;
    let mut delays = Vec::new();
    for number in 1..=20 {
        let id = ended(&gateway, &key, number).await;
        let before = std::time::Instant::now();
        let is_it = |body: &Value| body["data"]["id"] == *id;
        let told = async || receiver.bodies().iter().any(is_it);
        soon("the end is told", told).await;
        delays.push(before.elapsed());
    }
    delays.sort_unstable();
    assert!(delays[18] <= Duration::from_secs(1), "{delays:?}");
    let body = &receiver.bodies()[0];
    assert_eq!(body["type"], "lookup.delivered");
    assert_eq!(body["data"]["state"], "delivered");
    // The receiver has the last message before its attempt is stored.
    let deliveries = format!("{}/deliveries", webhook.path);
    let mut list = Value::Null;
    soon("the last attempt is kept", async || {
        let read = person.request(Method::GET, &deliveries).send().await;
        list = json_of(read.unwrap(), 200).await;
        list["items"][0]["last_attempt"]["status"] == 204
    })
    .await;
    assert_eq!(list["items"].as_array().unwrap().len(), 20);
    let sent = "cep_webhook_attempt_duration_seconds_count{result=\"delivered\"}";
    let measured = Measured::of(&gateway).await.value(sent);
    assert!((measured - 20.0).abs() < f64::EPSILON, "{measured}");
}

#[tokio::test]
async fn a_process_that_dies_sends_its_message_again_with_the_same_id() {
    let (receiver, gateway, person, _) = subscribed().await;
    let key = person.create_key("caja 4", "test").await;
    receiver.hang();
    ended(&gateway, &key, 1).await;
    arrived(&receiver, 1).await;
    let folder = gateway.kill();
    receiver.answer();
    let again = Plan::in_folder(folder).with("CEP_WEBHOOK_ALLOW_LOOPBACK", "on");
    let _gateway = again.start();
    let goes_on = async || receiver.messages().len() >= 2;
    let patience = Duration::from_mins(1);
    eventually("another process goes on with it", patience, goes_on).await;
    let messages = receiver.messages();
    let ids: Vec<_> = messages.iter().map(|it| it.header("webhook-id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(messages[0].body(), messages[1].body());
}

#[tokio::test]
async fn this_machine_is_refused_by_default() {
    let receiver = Receiver::start().await;
    let (_gateway, person) = Person::with_gateway(Demo::Member).await;
    let body = json!({ "url": receiver.url(), "events": ["lookup.delivered"] });
    person.send(Method::POST, "/webhooks", &body, 400).await;
}

#[test]
fn loopback_needs_the_sandbox_identity_provider() {
    let off = plan().with("CEP_DASHBOARD", "off").try_start();
    let said = off.err().expect("it doesn't start");
    assert!(said.contains("CEP_WEBHOOK_ALLOW_LOOPBACK"), "{said}");
}
