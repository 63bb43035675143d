//! Responses to typical queries.

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::data::{customer_id, key_id, refuse};
use crate::harness::{Harness, post};

const KEY: &str = "id name prefix env state createdAt lastUsedAt retiresAt revokedAt \
                   owner { issuer subject } accountId perMinute monthlyQuota \
                   month { month used charged refunded remaining resetAt } \
                   window { limit remaining resetSeconds }";

#[tokio::test]
async fn the_viewer_and_its_account() {
    let query = "{ viewer { owner { issuer subject } displayName role sessionExpiresAt \
                 account { id owner { subject } plan createdAt activeKeys month { used } } } }";
    assert_json_snapshot!(Harness::new().await.member(query).await.data());
}

#[tokio::test]
async fn a_page_of_keys_with_all_that_is_known_of_them() {
    let query = format!(
        "{{ keys(first: 7, orderBy: {{ field: NAME, direction: ASC }}) {{ totalCount \
         pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} \
         edges {{ cursor node {{ {KEY} }} }} nodes {{ name }} }} }}"
    );
    assert_json_snapshot!(Harness::new().await.member(&query).await.data());
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_overlap() {
    let query = "query($after: String) { keys(first: 50, after: $after) { nodes { id } \
                 pageInfo { hasNextPage hasPreviousPage endCursor } } }";
    let pages = Harness::new().await.pages("keys", query).await;
    let expected = (1..=120)
        .rev()
        .map(|number| json!(key_id(number).to_string()));
    let expected: Vec<_> = expected.collect();
    assert_eq!(pages, expected.chunks(50).collect::<Vec<_>>());
}

#[tokio::test]
async fn conditions_narrow_a_list() {
    let query = "{ keys(filter: { states: [REVOKED, RETIRING, REVOKED], env: TEST, \
                 text: \" till \" }) { nodes { name state } } }";
    let data = Harness::new().await.member(query).await.data();
    let expected = json!([{ "name": "till 004", "state": "RETIRING" },
                          { "name": "till 002", "state": "REVOKED" }]);
    assert_eq!(data["keys"]["nodes"], expected);
}

#[tokio::test]
async fn anothers_key_and_no_key_are_null_alike() {
    let harness = Harness::new().await;
    let [anothers, none] = [121, 9_999].map(|number| key_id(number).to_string());
    let query = "query($id: ID!) { key(id: $id) { id } }";
    for id in [&*anothers, &none, "nonsense", ""] {
        let answer = harness.ask("member", query, json!({ "id": id })).await;
        assert_eq!(answer.text, r#"{"data":{"key":null}}"#, "{id}");
    }
}

#[tokio::test]
async fn use_over_time() {
    let harness = Harness::new().await;
    let query = "query($breakdown: Breakdown!) { \
         usage(range: { granularity: HOUR, newest: 3 }, breakdown: $breakdown) { \
         granularity slots series { keyId endpoint outcome others counts total } \
         totals { requests delivered refused failed successRate latency { p50Ms p95Ms p99Ms } } } }";
    for breakdown in ["TOTAL", "KEY", "ENDPOINT", "OUTCOME"] {
        let data = harness.read(query, json!({ "breakdown": breakdown })).await;
        assert_json_snapshot!(format!("usage_by_{}", breakdown.to_lowercase()), data);
    }
}

#[tokio::test]
async fn keys_beyond_the_busiest_twenty_are_one_series() {
    let harness = Harness::new().await;
    for key in 6..=26 {
        refuse(&harness.services, key);
    }
    let query = "{ usage(range: { granularity: HOUR, newest: 3 }, breakdown: KEY) { \
                 series { keyId others total } } }";
    let data = harness.member(query).await.data();
    let series = data["usage"]["series"].as_array().unwrap();
    assert_eq!(series.len(), 21);
    let busiest = json!({ "keyId": key_id(1).to_string(), "others": false, "total": 5 });
    let others = json!({ "keyId": null, "others": true, "total": 2 });
    assert_eq!([&series[0], &series[20]], [&busiest, &others]);
}

#[tokio::test]
async fn requests_name_their_banks() {
    let query = "{ requests { pageInfo { hasNextPage startCursor endCursor } edges { cursor node { \
                 id requestId keyId at endpoint outcome durationMs bankMs \
                 issuer { code name active } receiver { code name active } seal } } } }";
    assert_json_snapshot!(Harness::new().await.member(query).await.data());
}

#[tokio::test]
async fn banks_are_found_by_name_and_by_the_beginning_of_their_code() {
    let query = "{ all: participants { code } name: participants(text: \"bAnAmEx\") { code name } \
                 code: participants(text: \"4063\") { code } past: participants(text: \"90638\") \
                 { code active } none: participants(text: \"x y z\") { code } }";
    let data = Harness::new().await.member(query).await.data();
    assert_eq!(data["all"].as_array().unwrap().len(), 105);
    assert_eq!(data["name"][0]["code"], "40002");
    let codes = data["code"].as_array().unwrap();
    assert!(codes.contains(&json!({ "code": "40638" })));
    assert_eq!(data["past"], json!([{ "code": "90638", "active": false }]));
    assert_eq!(data["none"], json!([]));
}

#[tokio::test]
async fn an_admin_sees_everybody() {
    let query = format!(
        "{{ admin {{ \
         accounts {{ totalCount nodes {{ id owner {{ issuer subject }} plan createdAt activeKeys \
         month {{ used }} }} }} \
         keys(first: 1) {{ totalCount nodes {{ {KEY} }} }} \
         key(id: \"{}\") {{ name owner {{ subject }} }} \
         usage(range: {{ granularity: MONTH, newest: 2 }}, breakdown: TOTAL) {{ slots series {{ \
         counts }} }} \
         requests(first: 1) {{ nodes {{ requestId }} }} \
         audit(first: 2) {{ nodes {{ id at actor {{ issuer subject }} action accountId keyId \
         changes {{ field before after }} requestId }} }} }} }}",
        key_id(121)
    );
    assert_json_snapshot!(Harness::new().await.admin(&query).await.data());
}

#[tokio::test]
async fn an_admin_narrows_to_one_account() {
    let query = "query($id: ID!) { admin { keys(accountId: $id) { totalCount } \
                 accounts(text: \"oth\") { nodes { owner { subject } } } } }";
    let id = json!({ "id": customer_id("other").to_string() });
    let answer = Harness::new().await.ask("admin", query, id).await;
    let accounts = json!({ "nodes": [{ "owner": { "subject": "other" } }] });
    let expected = json!({ "keys": { "totalCount": 1 }, "accounts": accounts });
    assert_eq!(answer.data()["admin"], expected);
}

#[tokio::test]
async fn a_member_is_no_admin() {
    let harness = Harness::new().await;
    let query = "{ viewer { role } admin { keys { totalCount } } }";
    let answer = harness.member(query).await;
    assert_eq!(answer.status, 200);
    assert_json_snapshot!(answer.json());
    assert!(harness.calls().is_empty());
}

#[tokio::test]
async fn it_is_served_under_api_too() {
    let harness = Harness::new().await;
    let mut request = post("member", r#"{"query":"{ viewer { role } }"}"#);
    *request.uri_mut() = "/api/graphql".parse().unwrap();
    let answer = harness.send(request).await;
    assert_eq!(answer.text, r#"{"data":{"viewer":{"role":"MEMBER"}}}"#);
}

#[tokio::test]
async fn one_of_several_operations_is_chosen_by_its_name() {
    let harness = Harness::new().await;
    let document = "query A { viewer { role } } query B { viewer { displayName } }";
    let ask = async |name: Value| {
        let body = json!({ "query": document, "operationName": name }).to_string();
        harness.send(post("member", body)).await
    };
    let viewer = json!({ "displayName": "Demo member" });
    assert_eq!(ask(json!("B")).await.data()["viewer"], viewer);
    for name in [json!("C"), Value::Null] {
        let answer = ask(name).await;
        answer.assert_error(400, "INVALID_REQUEST");
    }
}
