//! Stored lookups: lists, one with its proof, cancellation and erasure.

use std::time::Duration;

use application::{Caller, LookupRequest, NewKey};
use chrono::TimeDelta;
use domain::calendar::parse_date;
use domain::keys::{Environment, FullKey, Grace, KeyId, KeyName};
use domain::lookups::{Metadata, RetryFor};
use domain::participants::Catalogue;
use domain::people::customer::Role;
use domain::proofs::file::RequestedFiles;
use domain::query::{Institutions, ProofQuery, RawQuery, Token};
use domain::request::RequestId;
use insta::assert_json_snapshot;
use ports::outbound::Clock as _;
use serde_json::{Value, json};
use testkit::people::owner;

use crate::harness::Harness;
use crate::stored::LOOKUPS;

const LOOKUP: &str = "env state reason createdAt updatedAt retryUntil eraseAt \
                      attemptCount nextAttemptAt origin seal batchId queue { position eta } metadata { name value } \
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

/// The query for a payment of this amount.
pub(crate) fn query(amount: &'static str) -> ProofQuery {
    let raw = RawQuery {
        date: Token::Text("2026-11-20".into()),
        tracking_key: Token::Text("MBAN01002611200000000001".into()),
        account: Token::Text("002010077777777771".into()),
        amount: Token::Number(amount),
        ..RawQuery::default()
    };
    let today = parse_date("2026-11-21").unwrap();
    ProofQuery::parse(&raw, Institutions::Inferable, today, Catalogue::embedded()).unwrap()
}

/// A lookup whose amount says what the bank answers.
pub(crate) fn question(amount: &'static str) -> LookupRequest {
    let pair = ("pedido".to_owned(), "A-1042".to_owned());
    LookupRequest {
        query: query(amount).into(),
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

#[tokio::test]
async fn a_delivered_lookup_has_its_proof_its_attempts_and_its_files() {
    let both = LookupRequest {
        files: RequestedFiles::Both,
        ..question("10.00")
    };
    let (harness, id) = with_lookup(both).await;
    let data = of_lookup(&harness, &id, DELIVERY).await.to_string();
    let data: Value = serde_json::from_str(&data.replace(&id, "LOOKUP")).unwrap();
    assert_json_snapshot!(data);
}

#[tokio::test]
async fn a_waiting_lookup_has_its_reason_and_its_next_attempt() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let data = of_lookup(&harness, &id, "files { path }").await;
    assert_json_snapshot!(data);
}

/// A lookup of the member's with its attempts, and these fields of its delivery.
async fn of_lookup(harness: &Harness, id: &str, delivery: &str) -> Value {
    let query = format!(
        "query($id: ID!) {{ lookup(id: $id) {{ {LOOKUP} \
         attempts {{ at outcome }} delivery {{ {delivery} }} }} }}"
    );
    harness.read(&query, json!({ "id": id })).await
}

#[tokio::test]
async fn the_list_is_narrowed_by_state_environment_key_and_time() {
    let harness = Harness::with_room().await;
    let (test, test_secret) = key(&harness, Environment::Test).await;
    let (live, live_secret) = key(&harness, Environment::Live).await;
    let begun = harness.services.clock.now();
    let lookups = &harness.lookups;
    lookups.create(&test_secret, question("10.00")).await;
    lookups.create(&live_secret, question("404.02")).await;
    lookups.work().await;
    harness.services.clock.advance(Duration::from_secs(10));
    let grace = Grace::from_hours(1).unwrap();
    let keys = &harness.services.keys;
    let rotated = keys.rotate(&member(), test, grace).await.unwrap().new;
    lookups.create(&rotated.secret, question("11.00")).await;

    let [test, live, rotated] = [test, live, rotated.key.key.id].map(|id| id.to_string());
    let all = json!(["QUEUED", "WAITING", "DELIVERED"]);
    let later = begun + TimeDelta::seconds(5);
    let two_states = json!({ "states": ["DELIVERED", "WAITING", "WAITING"] });
    let combined = json!({ "env": "TEST", "states": ["QUEUED"], "keyId": test });
    let of_test = json!(["QUEUED", "DELIVERED"]);
    for (filter, expected) in [
        (Value::Null, &all),
        (json!({ "states": [] }), &all),
        (two_states, &json!(["WAITING", "DELIVERED"])),
        (json!({ "states": ["EXPIRED"] }), &json!([])),
        (json!({ "env": "LIVE" }), &json!(["WAITING"])),
        (json!({ "keyId": test }), &of_test),
        (json!({ "keyId": rotated }), &of_test),
        (json!({ "keyId": live }), &json!(["WAITING"])),
        (json!({ "createdFrom": later }), &json!(["QUEUED"])),
        (combined, &json!(["QUEUED"])),
    ] {
        let states = LOOKUPS.states(&harness, filter.clone()).await;
        assert_eq!(&states, expected, "{filter}");
    }
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
    LOOKUPS.assert_pages_of_two(&harness, ids).await;
}

#[tokio::test]
async fn a_lookup_of_another_account_does_not_exist_for_a_member_nor_an_admin() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let query = "query($id: ID!) { lookup(id: $id) { id } }";
    let one = (query, json!({ "lookup": null }));
    let checked = LOOKUPS.assert_only_its_account_has_it(&harness, &id, one);
    checked.await;
}

#[tokio::test]
async fn a_lookup_is_canceled_first_and_erased_afterwards() {
    let (harness, id) = with_lookup(question("404.02")).await;
    let checked = LOOKUPS.assert_canceled_first_and_erased_afterwards(&harness, &id);
    checked.await;
}
