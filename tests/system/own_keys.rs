//! Keys under a session: a person sees their own and no others, and can follow the requests with
//! them.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::{Key, json_of, request, soon};
use crate::person::{Demo, Person};

/// Waits until so many requests with a key are counted, and so many of them were refused by a limit.
async fn are_counted(person: &Person, key: &Key, requests: u32, refused: u32) {
    let query = "query($key: ID) {
        usage(range: { granularity: HOUR, newest: 24 }, keyId: $key) {
          totals { requests delivered refused } series { outcome total } } }";
    let totals = json!({ "requests": requests, "delivered": 1, "refused": refused });
    soon("the requests are counted", async || {
        let usage = person.ask(query, json!({ "key": key.id })).await;
        usage["usage"]["totals"] == totals
    })
    .await;
}

#[tokio::test]
async fn a_key_that_a_person_makes_works_and_its_requests_and_refusals_are_seen() {
    let (gateway, person) = Person::with_gateway(Demo::Member).await;
    let key = person.create_key("caja 4", "test").await;
    let answer = gateway.post("xml_auto", &key, &request(1, "10.00")).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let id = answer.headers()["x-request-id"].to_str().unwrap();
    let answer = gateway.post("pdf", &key, &request(2, "404.00")).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    are_counted(&person, &key, 2, 0).await;
    let query = "query($key: ID!, $id: String!) {
        requests(filter: { requestId: $id }) { nodes {
          requestId keyId endpoint outcome issuer { code } receiver { code } } }
        key(id: $key) { name lastUsedAt month { used remaining } window { remaining } } }";
    let variables = json!({ "key": key.id, "id": id });
    let seen = person.ask(query, variables.clone()).await;
    assert_eq!(
        seen["requests"]["nodes"],
        json!([{
            "requestId": id, "keyId": key.id, "endpoint": "XML_AUTO", "outcome": "DELIVERED",
            "issuer": { "code": "40012" }, "receiver": { "code": "40002" },
        }])
    );
    assert_eq!(seen["key"]["month"], json!({ "used": 2, "remaining": 998 }));
    assert_eq!(seen["key"]["window"]["remaining"], 58);
    assert!(seen["key"]["lastUsedAt"].is_string());

    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let path = format!("/admin/keys/{}", key.id);
    let limit = json!({ "per_minute": 1 });
    admin.send(Method::PATCH, &path, &limit, 200).await;
    assert_eq!(gateway.status_of(&key).await, StatusCode::TOO_MANY_REQUESTS);
    are_counted(&person, &key, 3, 1).await;
    let seen = person.ask(query, variables).await;
    assert_eq!(seen["key"]["month"]["used"], 2);
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_the_answer_on() {
    let (gateway, person) = Person::with_gateway(Demo::Member).await;
    for path in ["/keys", "/api/keys"] {
        let key = person.create_key("caja 4", "test").await;
        assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
        let path = format!("{path}/{}", key.id);
        let revoked = person.told(Method::DELETE, &path, 200).await;
        assert!(revoked["revoked_at"].is_string());
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        assert_eq!(json_of(answer, 401).await["error"], "INVALID_API_KEY");
        let again = person.told(Method::DELETE, &path, 200).await;
        assert_eq!(again, revoked);
    }
}

/// Each operation of the REST API and of GraphQL that takes an id is tested beside its own crate.
#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let (gateway, owner) = Person::with_gateway(Demo::Admin).await;
    let other = Person::signed_in(&gateway, Demo::Member).await;
    let key = owner.create_key("suya", "test").await;
    // Who has no key of its own is no customer yet, and nothing is looked for.
    other.create_key("propia", "test").await;
    let mut answers = Vec::new();
    for id in [&*key.id, "0198f3c2-7d3e-7000-8000-000000000000"] {
        let path = format!("/keys/{id}");
        let rename = "mutation($id: ID!) { renameKey(input: { id: $id, name: \"mía\" }) { key { id } userErrors { code } } }";
        answers.push((
            other.told(Method::DELETE, &path, 404).await,
            other.ask(rename, json!({ "id": id })).await,
        ));
    }
    // Another person's key can't be told from none.
    assert_eq!(answers[0], answers[1]);
    other.told(Method::GET, "/admin/keys", 403).await;
    let own = other.keys().await;
    assert_eq!(own.len(), 1, "{own:?}");
    assert_eq!(own[0]["name"], "propia");

    // And nothing happened to it.
    assert_eq!(owner.keys().await[0]["name"], "suya");
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
}

#[tokio::test]
async fn a_new_key_takes_no_limits_or_owner_from_its_maker() {
    let (_gateway, person) = Person::with_gateway(Demo::Member).await;
    for (member, value) in [("per_minute", json!(6000)), ("owner", json!("demo-admin"))] {
        let mut body = json!({ "name": "caja", "env": "test" });
        body[member] = value;
        let refused = person.send(Method::POST, "/keys", &body, 400).await;
        assert_eq!(refused["error"], "INVALID_REQUEST");
    }
    assert_eq!(person.keys().await, Vec::<Value>::new());
}

#[tokio::test]
async fn mutations_by_people_and_operators_are_in_the_audit_log() {
    let (gateway, admin) = Person::with_gateway(Demo::Admin).await;
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let id = json!({ "id": key.id });
    let limit = "mutation($id: ID!) {
        adminSetLimits(input: { id: $id, perMinute: 5, monthlyQuota: null }) { userErrors { code } } }";
    admin.ask(limit, id.clone()).await;
    gateway.revoke(&key);

    let log = "query($id: ID!) { admin { audit(filter: { keyId: $id }) { nodes {
        actor { subject } action changes { field before after } requestId } } } }";
    let log = admin.ask(log, id).await;
    let entries = log["admin"]["audit"]["nodes"].as_array().unwrap();
    let told = entries
        .iter()
        .map(|it| [&it["actor"]["subject"], &it["action"]]);
    let expected = [
        ["operator", "KEY_REVOKED"],
        ["demo-admin", "LIMITS_SET"],
        ["demo-member", "KEY_CREATED"],
    ];
    assert!(told.eq(expected), "{log}");
    assert_eq!(
        entries[1]["changes"],
        json!([
            { "field": "per_minute", "before": "60", "after": "5" },
            { "field": "monthly_quota", "before": "1000", "after": "none" },
        ])
    );
    for entry in entries {
        assert!(!entry["requestId"].as_str().unwrap().is_empty(), "{entry}");
    }
}
