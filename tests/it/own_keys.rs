//! Keys under a session: a person sees their own and no others, and can follow the requests with
//! them.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::gateway::{Gateway, eventually, json_of, request};
use crate::person::{Demo, Person};

const USAGE: &str =
    "query($key: ID) { usage(range: { granularity: HOUR, newest: 24 }, keyId: $key) {
    totals { requests delivered refused } series { outcome total } } }";

#[tokio::test]
async fn a_key_that_a_person_makes_works_and_its_requests_are_seen() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let key = person.create_key("caja 4", "test").await;
    let answer = gateway.post("xml_auto", &key, &request(1, "10.00")).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let id = answer.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let answer = gateway.post("pdf", &key, &request(2, "404.00")).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);

    eventually(
        "the requests are counted",
        Duration::from_secs(5),
        async || {
            let usage = person.ask(USAGE, json!({ "key": key.id })).await;
            usage["usage"]["totals"] == json!({ "requests": 2, "delivered": 1, "refused": 0 })
        },
    )
    .await;
    let seen = person
        .ask(
            "query($key: ID!, $id: String!) {
               requests(filter: { requestId: $id }) { nodes {
                 requestId keyId endpoint outcome issuer { code } receiver { code } } }
               key(id: $key) { name lastUsedAt month { used remaining } window { remaining } } }",
            json!({ "key": key.id, "id": id }),
        )
        .await;
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
}

#[tokio::test]
async fn requests_that_a_limit_refused_are_counted_apart() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Admin).await;
    let key = person.create_key("caja 4", "test").await;
    let set = person
        .sending(
            Method::PATCH,
            &format!("/admin/keys/{}", key.id),
            &json!({ "per_minute": 1 }),
        )
        .send()
        .await
        .unwrap();
    json_of(set, 200).await;
    for expected in [StatusCode::OK, StatusCode::TOO_MANY_REQUESTS] {
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        assert_eq!(answer.status(), expected);
    }
    eventually("both are counted", Duration::from_secs(5), async || {
        let usage = person.ask(USAGE, json!({ "key": key.id })).await;
        usage["usage"]["totals"] == json!({ "requests": 2, "delivered": 1, "refused": 1 })
    })
    .await;
    let seen = person
        .ask(
            "query($key: ID!) { key(id: $key) { month { used } } }",
            json!({ "key": key.id }),
        )
        .await;
    assert_eq!(seen["key"]["month"]["used"], 1);
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_the_answer_on() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    for path in ["/keys", "/api/keys"] {
        let key = person.create_key("caja 4", "test").await;
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let path = format!("{path}/{}", key.id);
        let revoked = person.request(Method::DELETE, &path).send().await.unwrap();
        let revoked = json_of(revoked, 200).await;
        assert!(revoked["revoked_at"].is_string());
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        assert_eq!(json_of(answer, 401).await["error"], "INVALID_API_KEY");
        let again = person.request(Method::DELETE, &path).send().await.unwrap();
        assert_eq!(json_of(again, 200).await, revoked);
    }
}

#[tokio::test]
async fn a_rotated_key_works_beside_its_successor_until_its_grace_is_over() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    let rotate =
        "mutation($id: ID!, $grace: Int!) { rotateKey(input: { id: $id, graceHours: $grace }) {
        secret oldKey { status retiresAt } newKey { id name status } userErrors { code } } }";
    for (grace, old_status) in [(24, StatusCode::OK), (0, StatusCode::UNAUTHORIZED)] {
        let old = person.create_key("caja 4", "test").await;
        let rotated = person
            .ask(rotate, json!({ "id": old.id, "grace": grace }))
            .await;
        let rotated = &rotated["rotateKey"];
        assert_eq!(rotated["userErrors"], json!([]));
        assert_eq!(rotated["newKey"]["name"], "caja 4");
        let new = crate::gateway::Key {
            full: rotated["secret"].as_str().unwrap().to_owned(),
            ..old.clone()
        };
        let answer = gateway.post("xml", &new, &request(1, "10.00")).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let answer = gateway.post("xml", &old, &request(1, "10.00")).await;
        assert_eq!(answer.status(), old_status, "grace of {grace} hours");
        // It has a successor.
        let again = person
            .ask(rotate, json!({ "id": old.id, "grace": grace }))
            .await;
        let code = &again["rotateKey"]["userErrors"][0]["code"];
        assert!(
            ["ALREADY_ROTATED", "REVOKED"].contains(&code.as_str().unwrap()),
            "{again}"
        );
    }
}

/// Two owners × every operation that takes an id: another owner's key looks like none.
#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let gateway = Gateway::start();
    let owner = Person::signed_in(&gateway, Demo::Admin).await;
    let other = Person::signed_in(&gateway, Demo::Member).await;
    let key = owner.create_key("suya", "test").await;
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
    // Who has no key of its own is no customer yet, and nothing is looked for.
    other.create_key("propia", "test").await;
    let nobodys = "0198f3c2-7d3e-7000-8000-000000000000";

    let mut answers: Vec<Vec<Value>> = Vec::new();
    for id in [key.id.as_str(), nobodys] {
        let mut said = Vec::new();
        for path in ["/keys", "/api/keys"] {
            let answer = other
                .request(Method::DELETE, &format!("{path}/{id}"))
                .send()
                .await;
            said.push(json_of(answer.unwrap(), 404).await);
        }
        for (method, path, body) in [
            (Method::GET, format!("/admin/keys/{id}"), json!({})),
            (
                Method::PATCH,
                format!("/admin/keys/{id}"),
                json!({ "per_minute": 9 }),
            ),
            (Method::DELETE, format!("/admin/keys/{id}"), json!({})),
        ] {
            let answer = match method {
                Method::PATCH => other.sending(method, &path, &body),
                method => other.request(method, &path),
            };
            said.push(json_of(answer.send().await.unwrap(), 403).await);
        }
        for operation in [
            "query($id: ID!) { key(id: $id) { name } }",
            "query($id: ID!) { requests(filter: { keyId: $id }) { nodes { id } } }",
            "query($id: ID!) { usage(range: { granularity: DAY, newest: 1 }, keyId: $id) { totals { requests } } }",
            "mutation($id: ID!) { renameKey(input: { id: $id, name: \"mía\" }) { key { id } userErrors { code } } }",
            "mutation($id: ID!) { revokeKey(input: { id: $id }) { key { id } userErrors { code } } }",
            "mutation($id: ID!) { rotateKey(input: { id: $id }) { secret newKey { id } userErrors { code } } }",
            "mutation($id: ID!) { adminRevokeKey(input: { id: $id }) { key { id } userErrors { code } } }",
            "mutation($id: ID!) { adminSetLimits(input: { id: $id, perMinute: 9 }) { key { id } userErrors { code } } }",
            "query($id: ID!) { admin { key(id: $id) { name } } }",
        ] {
            let mut answer = other.ask_anyway(operation, json!({ "id": id })).await;
            let text = answer.to_string();
            assert!(!text.contains("suya"), "{text}");
            // Every answer has a request id of its own.
            if let Some(errors) = answer["errors"].as_array_mut() {
                for error in errors {
                    error["extensions"]["request_id"].take();
                }
            }
            said.push(answer);
        }
        answers.push(said);
    }
    // Another person's key can't be told from none.
    assert_eq!(answers[0], answers[1]);
    let own = other.keys().await;
    assert_eq!(own.len(), 1, "{own:?}");
    assert_eq!(own[0]["name"], "propia");

    // And nothing happened to it.
    let kept = owner.keys().await;
    assert_eq!(kept[0]["name"], "suya");
    assert_eq!(kept[0]["per_minute"], 60);
    assert_eq!(kept[0]["revoked_at"], Value::Null);
    let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_new_key_takes_no_limits_or_owner_from_its_maker() {
    let gateway = Gateway::start();
    let person = Person::signed_in(&gateway, Demo::Member).await;
    for extra in [
        json!({ "per_minute": 6000 }),
        json!({ "owner": "demo-admin" }),
    ] {
        let mut body = json!({ "name": "caja", "env": "test" });
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let answer = person
            .sending(Method::POST, "/keys", &body)
            .send()
            .await
            .unwrap();
        let refused = json_of(answer, 400).await;
        assert_eq!(refused["error"], "INVALID_REQUEST");
    }
    assert_eq!(person.keys().await, Vec::<Value>::new());
}

#[tokio::test]
async fn mutations_by_people_and_operators_are_in_the_audit_log() {
    let gateway = Gateway::start();
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    admin
        .ask(
            "mutation($id: ID!) { adminSetLimits(input: { id: $id, perMinute: 5, monthlyQuota: null }) {
               userErrors { code } } }",
            json!({ "id": key.id }),
        )
        .await;
    let done = gateway.run(&["keys", "revoke", &key.id]);
    assert!(done.status.success());

    let log = admin
        .ask(
            "query($id: ID!) { admin { audit(filter: { keyId: $id }) { nodes {
               actor { issuer subject } action keyId changes { field before after } requestId at } } } }",
            json!({ "id": key.id }),
        )
        .await;
    let entries = log["admin"]["audit"]["nodes"].as_array().unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry["actor"]["subject"].as_str().unwrap(),
                entry["action"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("operator", "KEY_REVOKED"),
        ("demo-admin", "LIMITS_SET"),
        ("demo-member", "KEY_CREATED"),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        entries[1]["changes"],
        json!([
            { "field": "per_minute", "before": "60", "after": "5" },
            { "field": "monthly_quota", "before": "1000", "after": "none" },
        ])
    );
    assert!(
        entries
            .iter()
            .all(|entry| !entry["requestId"].as_str().unwrap().is_empty())
    );
}

#[tokio::test]
async fn a_new_plan_reaches_the_keys_that_follow_it_at_once() {
    let gateway = Gateway::start();
    let admin = Person::signed_in(&gateway, Demo::Admin).await;
    let member = Person::signed_in(&gateway, Demo::Member).await;
    let key = member.create_key("caja 4", "test").await;
    let limit_of = async || {
        let answer = gateway.post("xml", &key, &request(1, "10.00")).await;
        assert_eq!(answer.status(), StatusCode::OK);
        answer.headers()["ratelimit-policy"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert!(limit_of().await.contains("q=60;"));
    let viewer = member.ask("{ viewer { account { id } } }", json!({})).await;
    let set = admin
        .ask(
            "mutation($id: ID!) { adminSetPlan(input: { accountId: $id, plan: ENTERPRISE, existingKeys: FOLLOW }) {
               account { plan } userErrors { code } } }",
            json!({ "id": viewer["viewer"]["account"]["id"] }),
        )
        .await;
    assert_eq!(set["adminSetPlan"]["account"]["plan"], "ENTERPRISE");
    let policy = limit_of().await;
    assert!(
        policy.contains("q=600;") && !policy.contains("month"),
        "{policy}"
    );
}
