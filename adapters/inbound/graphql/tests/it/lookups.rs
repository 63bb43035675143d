//! Stored lookups: lists, one with its proof, cancellation and erasure.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::calendar::parse_date;
use domain::customer::Role;
use domain::file::RequestedFiles;
use domain::key::{Environment, FullKey, Grace, KeyId, KeyName};
use domain::lookup::{Metadata, RetryFor};
use domain::participant::Catalogue;
use domain::query::{Institutions, ProofQuery, RawQuery, Token};
use domain::request::RequestId;
use insta::assert_json_snapshot;
use ports::inbound::{Caller, KeyAdministration as _, LookupRequest, NewKey};
use ports::outbound::Clock as _;
use serde_json::{Value, json};
use testkit::people::owner;

use crate::data::key_id;
use crate::harness::Harness;

const LOOKUP: &str = "environment state reason createdAt updatedAt retryUntil eraseAt \
                      attemptCount nextAttemptAt metadata { name value } \
                      question { fecha claveRastreo cuenta monto emisor receptor } \
                      inferred { emisor { participant { code name active } source confidence } \
                      receptor { participant { code name active } source confidence } } \
                      payment { state text receivedAt processedAt } \
                      hints { code message given expected date operationDate } whatToDo";
const DELIVERY: &str = "proof { trackingKey operationDate creditDate creditTime amount vat concept \
                        paymentType issuer { code name } receiver { code name } \
                        payer { name taxId accountType account } \
                        beneficiary { name taxId accountType account } } \
                        seal { verdict reason certificate algorithm digest } sealedFields \
                        earlier { times firstAt } files { extension path }";

/// A key of the member's with its secret.
pub(crate) async fn key(harness: &Harness, environment: Environment) -> (KeyId, FullKey) {
    let new = NewKey {
        name: KeyName::parse("lookups").unwrap(),
        environment,
        limits: None,
    };
    let created = harness.services.keys.create(&member(), new).await.unwrap();
    (created.key.key.id, created.secret)
}

pub(crate) fn member() -> Caller {
    Caller {
        owner: owner("member"),
        role: Role::Member,
        request_id: RequestId::parse("test-1").unwrap(),
    }
}

/// A lookup whose amount says what the bank answers.
pub(crate) fn question(amount: &'static str) -> LookupRequest {
    let raw = RawQuery {
        date: Token::Text("2026-11-20".into()),
        tracking_key: Token::Text("MBAN01002611200000000001".into()),
        account: Token::Text("002010077777777771".into()),
        amount: Token::Number(amount),
        ..RawQuery::default()
    };
    let today = parse_date("2026-11-21").unwrap();
    let query = ProofQuery::parse(&raw, Institutions::Inferable, today, Catalogue::embedded());
    let pair = ("pedido".to_owned(), "A-1042".to_owned());
    LookupRequest {
        query: query.unwrap(),
        files: RequestedFiles::Xml,
        retry_for: RetryFor::DEFAULT,
        metadata: Metadata::new(vec![pair]).unwrap(),
        wait: Duration::ZERO,
    }
}

/// A harness with a lookup of the member's, and the lookup's id. The attempts that are due are made.
pub(crate) async fn with_lookup(request: LookupRequest) -> (Harness, String) {
    let harness = Harness::with_room().await;
    let (_, secret) = key(&harness, Environment::Test).await;
    let id = harness.lookups.create(&secret, request).await.id;
    harness.lookups.work().await;
    (harness, id.to_string())
}

impl Harness {
    /// States in a list of the member's.
    async fn states(&self, filter: Value) -> Value {
        let query = "query($filter: LookupFilter) { lookups(filter: $filter) { nodes { state } } }";
        let variables = json!({ "filter": filter });
        let data = self.ask("member", query, variables).await.data();
        let nodes = data["lookups"]["nodes"].as_array().unwrap();
        nodes.iter().map(|node| node["state"].clone()).collect()
    }

    /// The payload of a mutation of one lookup.
    async fn change(&self, person: &str, mutation: &str, id: &str) -> Value {
        let fields = match mutation {
            "cancelLookup" => "lookup { state nextAttemptAt }",
            _ => "erasedId",
        };
        self.mutate(person, mutation, fields, json!({ "id": id }))
            .await
    }
}

#[tokio::test]
async fn a_delivered_lookup_has_its_proof_its_attempts_and_its_files() {
    let both = LookupRequest {
        files: RequestedFiles::Both,
        ..question("10.00")
    };
    let (harness, id) = with_lookup(both).await;
    let query = format!(
        "query($id: ID!) {{ lookup(id: $id) {{ summary {{ {LOOKUP} }} \
         attempts {{ at outcome }} delivery {{ {DELIVERY} }} }} }}"
    );
    let answer = harness.ask("member", &query, json!({ "id": id })).await;
    let data = answer.text.replace(&id, "LOOKUP");
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_json_snapshot!(data);
}

#[tokio::test]
async fn a_waiting_lookup_has_its_reason_and_its_next_attempt() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let query = format!(
        "query($id: ID!) {{ lookup(id: $id) {{ summary {{ {LOOKUP} }} \
         attempts {{ at outcome }} delivery {{ files {{ path }} }} }} }}"
    );
    let answer = harness.ask("member", &query, json!({ "id": id })).await;
    assert_json_snapshot!(answer.data());
}

#[tokio::test]
async fn the_list_is_narrowed_by_state_environment_key_and_time() {
    let harness = Harness::with_room().await;
    let (test, test_secret) = key(&harness, Environment::Test).await;
    let (live, live_secret) = key(&harness, Environment::Live).await;
    let begun = now(&harness);
    harness
        .lookups
        .create(&test_secret, question("10.00"))
        .await;
    harness
        .lookups
        .create(&live_secret, question("404.02"))
        .await;
    harness.lookups.work().await;
    harness.services.clock.advance(Duration::from_secs(10));
    let grace = Grace::from_hours(1).unwrap();
    let keys = &harness.services.keys;
    let rotated = keys.rotate(&member(), test, grace).await.unwrap().new;
    harness
        .lookups
        .create(&rotated.secret, question("11.00"))
        .await;

    let all = json!(["QUEUED", "WAITING", "DELIVERED"]);
    assert_eq!(harness.states(Value::Null).await, all);
    assert_eq!(harness.states(json!({ "states": [] })).await, all);
    for (filter, expected) in [
        (
            json!({ "states": ["DELIVERED", "WAITING", "WAITING"] }),
            json!(["WAITING", "DELIVERED"]),
        ),
        (json!({ "states": ["EXPIRED"] }), json!([])),
        (json!({ "environment": "LIVE" }), json!(["WAITING"])),
        (
            json!({ "keyId": test.to_string() }),
            json!(["QUEUED", "DELIVERED"]),
        ),
        (
            json!({ "keyId": rotated.key.key.id.to_string() }),
            json!(["QUEUED", "DELIVERED"]),
        ),
        (json!({ "keyId": live.to_string() }), json!(["WAITING"])),
        (
            json!({ "createdFrom": begun + TimeDelta::seconds(5) }),
            json!(["QUEUED"]),
        ),
        (
            json!({ "environment": "TEST", "states": ["QUEUED"], "keyId": test.to_string() }),
            json!(["QUEUED"]),
        ),
    ] {
        assert_eq!(harness.states(filter.clone()).await, expected, "{filter}");
    }
}

fn now(harness: &Harness) -> DateTime<Utc> {
    harness.services.clock.now()
}

#[tokio::test]
async fn pages_follow_each_other() {
    let harness = Harness::with_room().await;
    let (_, secret) = key(&harness, Environment::Test).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let created = harness.lookups.create(&secret, question("10.00")).await;
        ids.push(json!(created.id.to_string()));
        harness.services.clock.advance(Duration::from_secs(1));
    }
    let query = "query($after: String) { lookups(first: 2, after: $after) { nodes { id } \
                 pageInfo { hasNextPage endCursor } } }";
    let pages = harness.pages("lookups", query).await;
    ids.reverse();
    assert_eq!(pages, [&ids[..2], &ids[2..4], &ids[4..]]);
    let query = "{ lookups(after: \"bm90aGluZw\") { nodes { id } } }";
    assert_eq!(harness.member(query).await.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn a_lookup_of_another_account_does_not_exist_for_a_member_nor_an_admin() {
    let (harness, id) = with_lookup(question("404.02")).await;
    harness.services.sign_in("other", "other", Role::Member);
    for person in ["other", "admin"] {
        let query = "query($id: ID!) { lookup(id: $id) { summary { id } } }";
        let found = harness.ask(person, query, json!({ "id": id })).await;
        assert_eq!(found.data()["lookup"], Value::Null, "{person}");
        let list = harness.ask(person, "{ lookups { nodes { id } } }", Value::Null);
        assert_eq!(list.await.data()["lookups"]["nodes"], json!([]), "{person}");
        for mutation in ["cancelLookup", "eraseLookup"] {
            let payload = harness.change(person, mutation, &id).await;
            let code = &payload["userErrors"][0]["code"];
            assert_eq!(code, "NOT_FOUND", "{person} {mutation}");
        }
        let of_key = format!(
            "{{ lookups(filter: {{ keyId: \"{}\" }}) {{ nodes {{ id }} }} }}",
            key_id(1)
        );
        let of_key = harness.ask(person, &of_key, Value::Null).await;
        assert_eq!(of_key.code(), "NOT_FOUND", "{person}");
    }
    assert_eq!(harness.states(Value::Null).await, json!(["WAITING"]));
}

#[tokio::test]
async fn a_lookup_is_canceled_first_and_erased_afterwards() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let early = harness.change("member", "eraseLookup", &id).await;
    assert_json_snapshot!("erased_too_early", early);
    let canceled = harness.change("member", "cancelLookup", &id).await;
    assert_json_snapshot!("canceled", canceled);
    let again = harness.change("member", "cancelLookup", &id).await;
    assert_json_snapshot!("canceled_too_late", again);
    let erased = harness.change("member", "eraseLookup", &id).await;
    assert_eq!(erased, json!({ "erasedId": id, "userErrors": [] }));
    assert_eq!(harness.states(Value::Null).await, json!([]));
    for mutation in ["cancelLookup", "eraseLookup"] {
        for id in [id.as_str(), "no id"] {
            let payload = harness.change("member", mutation, id).await;
            assert_eq!(payload["userErrors"][0]["code"], "NOT_FOUND");
            assert_eq!(payload["userErrors"][0]["field"], json!(["input", "id"]));
        }
    }
}

#[tokio::test]
async fn a_text_that_is_no_id_names_no_lookup() {
    let harness = Harness::new().await;
    let data = harness.member("{ lookup(id: \"x\") { summary { id } } }");
    assert_eq!(data.await.data()["lookup"], Value::Null);
    let list = harness.member("{ lookups(filter: { keyId: \"x\" }) { nodes { id } } }");
    assert_eq!(list.await.code(), "INVALID_REQUEST");
}
