//! Subscriptions over a WebSocket, with the public client `graphql-ws` over real sockets.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::batches::{post, table};
use crate::gateway::{Gateway, Key, Plan, eventually, json_of, request, soon};
use crate::metrics::Measured;
use crate::person::{Demo, Person};
use crate::servers::Servers;
use crate::shared_sessions::{SESSION, at, two_replicas};

mod handshakes;
mod subscriber;

use subscriber::Subscriber;

/// A lookup, as a subscription tells it.
const CHANGED: &str = "subscription($id: ID!) { lookupChanged(id: $id) { id state attemptCount } }";
/// Longest time until a session that ended has no connection.
const SIGNED_OUT: Duration = Duration::from_secs(10);
/// Longest time until a change on one replica is told by another one.
const AT_ONCE: Duration = Duration::from_secs(1);

/// A gateway, a member who has signed in, and a key of theirs.
async fn member(plan: Plan) -> (Gateway, Person, Key) {
    let gateway = plan.start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    (gateway, member, key)
}

/// Creates a lookup whose amount says what the bank answers, and returns its id.
async fn created(gateway: &Gateway, key: &Key, amount: &str) -> String {
    let lookup = gateway.post("lookups", key, &request(1, amount)).await;
    let lookup = json_of(lookup, 202).await;
    lookup["id"].as_str().unwrap().to_owned()
}

/// Creates a lookup that the bank doesn't know: it waits for its next attempt.
async fn waiting(gateway: &Gateway, key: &Key) -> String {
    let id = created(gateway, key, "404.02").await;
    soon("it waits", async || {
        let lookup = gateway.read(&format!("/v1/cep/lookups/{id}"), key).await;
        json_of(lookup, 200).await["state"] == "waiting"
    })
    .await;
    id
}

async fn cancel(gateway: &Gateway, key: &Key, id: &str) {
    let path = format!("/v1/cep/lookups/{id}");
    let canceling = gateway.keyed(Method::DELETE, &path, key);
    json_of(canceling.send().await.unwrap(), 200).await;
}

/// A client of a member who follows a waiting lookup of theirs; `None` where the client isn't installed.
async fn following(gateway: &Gateway, member: &Person, key: &Key) -> Option<(Subscriber, String)> {
    let id = waiting(gateway, key).await;
    let mut client = Subscriber::of(gateway, member, "/graphql/ws")?;
    client.subscribe("one", CHANGED, &json!({ "id": id })).await;
    assert_eq!(state(&client.next().await), "WAITING");
    Some((client, id))
}

fn state(event: &Value) -> &str {
    assert_eq!(event["event"], "next", "{event}");
    let state = event["data"]["lookupChanged"]["state"].as_str();
    state.unwrap_or_else(|| panic!("{event}"))
}

/// Asserts that a subscription is refused with a code, which ends it and not its connection.
async fn is_refused(client: &mut Subscriber, query: &str, id: &str, expected: &str) -> Value {
    client.subscribe("one", query, &json!({ "id": id })).await;
    let refusal = client.next().await;
    assert_eq!(refusal["event"], "next", "{refusal}");
    let code = &refusal["errors"][0]["extensions"]["code"];
    assert_eq!(code, expected, "{query}, {id}");
    let ended = json!({ "event": "completed", "id": "one" });
    assert_eq!(client.next().await, ended);
    refusal
}

#[tokio::test]
async fn a_lookup_is_followed_until_it_is_delivered() {
    let (gateway, member, key) = member(Plan::new().with("CEP_SANDBOX_LATENCY", 1_500)).await;
    // Two payments: the second proof would be in memory otherwise.
    for (path, amount) in [("/graphql/ws", "10.00"), ("/api/graphql/ws", "11.00")] {
        let Some(mut client) = Subscriber::of(&gateway, &member, path) else {
            return;
        };
        // The client has connected by then.
        is_refused(&mut client, CHANGED, "none", "NOT_FOUND").await;
        let id = created(&gateway, &key, amount).await;
        client.subscribe("one", CHANGED, &json!({ "id": id })).await;
        let events = client.until_completed().await;
        for event in &events {
            assert_eq!(event["data"]["lookupChanged"]["id"], json!(id));
        }
        let mut states: Vec<_> = events.iter().map(state).collect();
        assert_eq!(states.last(), Some(&"DELIVERED"));
        assert!(["QUEUED", "RUNNING"].contains(&states[0]), "{states:?}");
        states.dedup();
        assert!(states.len() >= 2, "{states:?}");
    }
    let log = gateway.log();
    assert!(log.contains("lookupChanged"), "{log}");
}

#[tokio::test]
async fn a_batch_is_followed_until_it_is_finished() {
    let (gateway, member, key) = member(Plan::new().with("CEP_SANDBOX_LATENCY", 500)).await;
    let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
        return;
    };
    let batch = post(&gateway, &key, "", table(1, 3)).await;
    let id = json_of(batch, 202).await["id"].clone();
    let query =
        "subscription($id: ID!) { batchChanged(id: $id) { id state counts { rows delivered } } }";
    client.subscribe("one", query, &json!({ "id": id })).await;
    let events = client.until_completed().await;
    let last = &events.last().unwrap()["data"]["batchChanged"];
    let counts = json!({ "rows": 3, "delivered": 3 });
    let finished = json!({ "id": id, "state": "FINISHED", "counts": counts });
    assert_eq!(*last, finished);
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let mut other = Subscriber::of(&gateway, &admin, "/graphql/ws").unwrap();
    is_refused(&mut other, query, id.as_str().unwrap(), "NOT_FOUND").await;
}

#[tokio::test]
async fn a_connection_is_closed_within_ten_seconds_of_signing_out() {
    let (gateway, member, key) = member(Plan::new()).await;
    let Some((mut client, _)) = following(&gateway, &member, &key).await else {
        return;
    };
    member.sign_out().await;
    let signed_out = Instant::now();
    assert_eq!(client.closed().await["code"], 4401);
    let took = signed_out.elapsed();
    assert!(took < SIGNED_OUT, "{took:?}");
    // Nothing that happens from now on is told.
    let mut again = Subscriber::of(&gateway, &member, "/graphql/ws").unwrap();
    let opened = again.open(&["graphql-transport-ws"]).await;
    assert_eq!(opened["status"], 401);
}

#[tokio::test]
async fn a_session_has_five_subscriptions_and_five_connections() {
    let (gateway, member, key) = member(Plan::new()).await;
    let id = waiting(&gateway, &key).await;
    let variables = json!({ "id": id });
    let connect = || Subscriber::of(&gateway, &member, "/graphql/ws");
    let (Some(mut one), Some(mut two)) = (connect(), connect()) else {
        return;
    };
    for (client, names) in [(&mut one, &["a", "b", "c"][..]), (&mut two, &["d", "e"])] {
        for name in names {
            client.subscribe(name, CHANGED, &variables).await;
            assert_eq!(state(&client.next().await), "WAITING");
        }
    }
    is_refused(&mut two, CHANGED, &id, "RATE_LIMIT_EXCEEDED").await;
    // Another person has places of their own, and the connection of the sixth goes on.
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let mut other = Subscriber::of(&gateway, &admin, "/graphql/ws").unwrap();
    is_refused(&mut other, CHANGED, &id, "NOT_FOUND").await;
    one.end("a").await;
    assert_eq!(one.next().await["event"], "completed");
    soon("a place is free", async || {
        two.subscribe("again", CHANGED, &variables).await;
        let event = two.next().await;
        if event["errors"].is_null() {
            return true;
        }
        assert_eq!(two.next().await["event"], "completed");
        false
    })
    .await;
    let mut held = vec![];
    for _ in 0..3 {
        let mut client = connect().unwrap();
        client.opened().await;
        held.push(client);
    }
    let mut sixth = connect().unwrap();
    let refused = json!({ "event": "refused", "status": 429 });
    assert_eq!(sixth.open(&["graphql-transport-ws"]).await, refused);
}

#[tokio::test]
async fn another_accounts_lookup_and_no_lookup_are_not_found_alike() {
    let (gateway, _member, key) = member(Plan::new()).await;
    let id = waiting(&gateway, &key).await;
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    admin.create_key("suya", "test").await;
    let Some(mut client) = Subscriber::of(&gateway, &admin, "/graphql/ws") else {
        return;
    };
    let none = "00000000-0000-7000-8000-000000000000";
    for id in [&*id, none, "no id"] {
        is_refused(&mut client, CHANGED, id, "NOT_FOUND").await;
    }
}

#[tokio::test]
async fn what_is_refused_over_http_is_refused_over_a_websocket() {
    let gateway = Plan::new().with("CEP_GRAPHQL_INTROSPECTION", "off").start();
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
        return;
    };
    let deep = format!("subscription {}{}", "{ a ".repeat(40), "}".repeat(40));
    let unknown = "subscription { lookupChanged(id: 1) { nothing } }";
    let twice = "subscription { a: lookupChanged(id: 1) { id } b: lookupChanged(id: 2) { id } }";
    for (query, expected) in [
        (&*deep, "QUERY_TOO_COMPLEX"),
        (twice, "QUERY_TOO_COMPLEX"),
        (unknown, "INVALID_REQUEST"),
        ("subscription { lookupChanged { id } }", "INVALID_REQUEST"),
        ("subscription {", "INVALID_REQUEST"),
    ] {
        is_refused(&mut client, query, "1", expected).await;
    }
    let erase = "mutation { eraseLookup(input: { id: 1 }) { erasedId } }";
    for query in ["{ viewer { role } }", erase] {
        let refusal = is_refused(&mut client, query, "1", "INVALID_REQUEST").await;
        assert!(refusal.to_string().contains("POST"), "{refusal}");
    }
    // And the other way round.
    let query = "subscription { lookupChanged(id: 1) { id } }";
    let posted = member.sending(Method::POST, "/graphql", &json!({ "query": query }));
    let answer = posted.send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("/graphql/ws"), "{answer}");
}

#[tokio::test]
async fn a_silent_client_and_one_that_sends_too_much_are_let_go() {
    let (gateway, member) = Person::with_gateway(Demo::Member).await;
    let connect = || Subscriber::of(&gateway, &member, "/graphql/ws");
    let (Some(mut silent), Some(mut loud)) = (connect(), connect()) else {
        return;
    };
    silent.opened().await;
    loud.opened().await;
    loud.send(&json!({ "type": "connection_init" }).to_string())
        .await;
    assert_eq!(loud.next().await["type"], "connection_ack");
    loud.command(json!({ "command": "sendLetters", "count": 64 * 1024 + 1 }))
        .await;
    assert_eq!(loud.closed().await["code"], 1009);
    assert_eq!(silent.closed().await["code"], 4408);
}

/// Beyond the times after which a connection without a request is closed.
#[tokio::test]
async fn a_followed_lookup_may_be_silent_for_longer_than_a_connection_without_requests() {
    let (gateway, member, key) = member(Plan::new()).await;
    let Some((mut client, id)) = following(&gateway, &member, &key).await else {
        return;
    };
    // A head must be complete after five seconds; messages of the client are none.
    let quiet = tokio::time::timeout(Duration::from_secs(12), client.next()).await;
    assert!(quiet.is_err(), "{quiet:?}");
    cancel(&gateway, &key, &id).await;
    assert_eq!(state(&client.next().await), "CANCELED");
    assert_eq!(client.next().await["event"], "completed");
}

#[tokio::test]
async fn an_upgraded_connection_keeps_its_place() {
    let (gateway, member, _key) = member(Plan::new()).await;
    let open = async || Measured::of(&gateway).await.value("cep_connections");
    // Fewer than these are open besides: those of requests before, which are closed as soon as they idle.
    let upgraded = 4;
    assert!(open().await < f64::from(upgraded));
    let mut clients = vec![];
    for _ in 0..upgraded {
        let Some(mut client) = Subscriber::of(&gateway, &member, "/graphql/ws") else {
            return;
        };
        client.opened().await;
        clients.push(client);
    }
    let held = async || open().await >= f64::from(upgraded);
    eventually("each has a place", SIGNED_OUT, held).await;
    drop(clients);
    let free = async || open().await < f64::from(upgraded);
    eventually("the places are free", SIGNED_OUT, free).await;
}

#[tokio::test]
async fn a_gateway_that_stops_closes_connections_and_waits_for_none() {
    let (gateway, member, key) = member(Plan::new()).await;
    let Some((mut client, _)) = following(&gateway, &member, &key).await else {
        return;
    };
    let stopping = Instant::now();
    let stopped = tokio::spawn(gateway.stopped());
    assert_eq!(client.closed().await["code"], 1001);
    stopped.await.unwrap();
    let took = stopping.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_another_replica_is_told_within_a_second() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let (_provider, one, other) = two_replicas(&servers).await;
    let member = Person::signed_in(&one, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let there = at(&other, member.cookie(SESSION).unwrap());
    let Some(mut client) = Subscriber::of(&other, &there, "/graphql/ws") else {
        return;
    };
    let id = waiting(&one, &key).await;
    client.subscribe("one", CHANGED, &json!({ "id": id })).await;
    assert_eq!(state(&client.next().await), "WAITING");
    cancel(&one, &key, &id).await;
    let canceled = Instant::now();
    assert_eq!(state(&client.next().await), "CANCELED");
    assert!(canceled.elapsed() < AT_ONCE, "{:?}", canceled.elapsed());
    assert_eq!(client.next().await["event"], "completed");
    // Signed out at one, and soon at both.
    let id = waiting(&one, &key).await;
    client.subscribe("two", CHANGED, &json!({ "id": id })).await;
    assert_eq!(state(&client.next().await), "WAITING");
    member.sign_out().await;
    assert_eq!(client.closed().await["code"], 4401);
}
