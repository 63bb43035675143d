//! Invalid requests and internal failures, in both languages.

use chrono::TimeDelta;
use domain::keys::ApiKey;
use rstest::rstest;
use testkit::fakes::Fault;

use super::data::{ACCOUNT, ACTIVE_KEY, ADMIN, MEMBER, OTHERS_KEY, UNKNOWN, with_keys};
use super::{admin, ask, json, with_json};
use crate::data::now;
use crate::harness::{Answers, Exchange, Harness, in_both_languages};

#[tokio::test]
async fn all_faults_of_a_body_are_reported() {
    let key = format!("/admin/keys/{ACTIVE_KEY}");
    let account = format!("/admin/accounts/{ACCOUNT}");
    let new_keys = [
        r#"{"env":"test"}"#,
        r#"{"name":7,"env":["live"]}"#,
        r#"{"name":"a\u0007","env":"prod"}"#,
        r#"{"name":"till","per_minute":9999,"owner":{"subject":"other"},"monthly_quota":null}"#,
        r#"{"name":"till","n\u0061me":"tall"}"#,
        "",
        r#"["till"]"#,
        r#"{"Name":"till","Env":"test","owner":{"name":"x"}}"#,
    ];
    let limits = [
        r#"{"per_minute":0,"monthly_quota":1000000000001,"plan":"platinum"}"#,
        r#"{"per_minute":null,"monthly_quota":"1000","plan":1}"#,
        r#"{"perMinute":60,"montly_quota":1000}"#,
        r#"{"per_minute":60.0,"monthly_quota":1e3,"name":"mine"}"#,
        "{}",
    ];
    let mut requests: Vec<_> = new_keys.map(|body| ("POST", "/keys", body)).into();
    requests.extend(limits.map(|body| ("PATCH", &*key, body)));
    requests.push(("POST", "/keys?env=test", r#"{"name":"till"}"#));
    requests.push(("PATCH", &*account, r#"{"existing_keys":"all"}"#));
    let mut answers = Answers::default();
    for (method, path, body) in requests {
        let harness = Harness::of_people().await;
        let request = || with_json(ask(&harness, ADMIN, method, path), body);
        answers
            .add(&format!("{method} {path} {body}"), request)
            .await;
        assert!(harness.store_faults().calls().is_empty(), "{body}");
    }
    insta::assert_snapshot!("faulty_bodies", answers.0);
}

#[tokio::test]
async fn all_faults_of_a_query_are_reported() {
    let harness = Harness::of_people().await;
    let mut answers = Answers::default();
    for path in [
        "/keys?include_revoked=yes",
        "/keys?include_revoked=true&include_revoked=false",
        "/keys?include-revoked=false",
        "/admin/keys?text=%00&account_id=me&state=active,dead&env=prod&order=random&limit=0&after=7&page=2",
        "/admin/usage?account_id=1&key_id=2&granularity=week&newest=0&from=2026-11-20&to=now&breakdown=bank&endpoint=yaml&outcome=good",
        "/admin/usage?newest=3&from=2026-11-20T00:00:00Z",
        "/admin/usage?to=2026-11-20T00:00:00Z",
        "/admin/usage?granularity=hour&newest=745",
        "/admin/usage?granularity=hour&from=2025-11-20T00:00:00Z",
        "/admin/usage?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z",
        "/admin/audit?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z",
    ] {
        let request = || ask(&harness, ADMIN, "GET", path);
        answers.add(path, request).await;
    }
    insta::assert_snapshot!("faulty_queries", answers.0);
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn unknown_names_are_repeated_within_bounds() {
    let harness = Harness::of_people().await;
    let names = (0..700).map(|number| format!(",\"{number}xxxxxxxxx\":1"));
    let long = "y".repeat(1_000);
    let names: String = names.collect();
    let body = format!("{{\"name\":\"till\",\"{long}\":1{names}}}");
    assert!(body.len() < rest::MAX_BODY_BYTES, "{}", body.len());
    let request = with_json(ask(&harness, MEMBER, "POST", "/keys"), body);
    let answer = request.response().await.text().await.unwrap();
    assert!(answer.len() < 8_000, "{}", answer.len());
    assert!(answer.contains(&"y".repeat(64)) && !answer.contains(&"y".repeat(65)));
}

#[tokio::test]
async fn a_body_of_another_kind_or_size_is_refused() {
    let harness = Harness::of_people().await;
    let large = format!("{{\"name\":\"{}\"}}", "x".repeat(rest::MAX_BODY_BYTES));
    let request = || with_json(ask(&harness, MEMBER, "POST", "/keys"), large.clone());
    insta::assert_snapshot!("too_large", in_both_languages(request).await);
    let request = || ask(&harness, MEMBER, "POST", "/keys").body("name=till");
    insta::assert_snapshot!("no_json", in_both_languages(request).await);
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_failing_store_has_one_answer_on_every_route() {
    let harness = Harness::of_people().await;
    harness.store_faults().inject(Fault::Fails);
    let mut operations = admin::operations();
    operations.extend([
        ("create", "POST", "/keys".to_owned(), r#"{"name":"till"}"#),
        ("list", "GET", "/keys".to_owned(), ""),
        ("revoke", "DELETE", format!("/keys/{ACTIVE_KEY}"), ""),
    ]);
    for (_, method, path, body) in operations {
        let request = || with_json(ask(&harness, ADMIN, method, &path), body);
        insta::assert_snapshot!("store_down", in_both_languages(request).await, &path);
    }
}

#[tokio::test]
async fn an_unknown_id_has_one_answer_on_every_route() {
    let harness = Harness::of_people().await;
    let key = format!("/admin/keys/{UNKNOWN}");
    let operations = [
        ("DELETE", format!("/keys/{UNKNOWN}"), ""),
        ("GET", key.clone(), ""),
        ("PATCH", key.clone(), r#"{"per_minute":1}"#),
        ("DELETE", key, ""),
        (
            "PATCH",
            format!("/admin/accounts/{UNKNOWN}"),
            r#"{"plan":"startup"}"#,
        ),
        (
            "GET",
            format!("/admin/usage?account_id={ACCOUNT}&key_id={OTHERS_KEY}"),
            "",
        ),
    ];
    for (method, path, body) in operations {
        let request = || with_json(ask(&harness, ADMIN, method, &path), body);
        insta::assert_snapshot!("not_found", in_both_languages(request).await, &path);
    }
}

#[rstest]
#[tokio::test]
async fn a_cursor_of_another_order_is_no_place_in_a_list(
    #[values("/admin/keys", "/admin/accounts", "/admin/audit")] path: &str,
) {
    let harness = Harness::of_people().await;
    let by_name = ask(&harness, ADMIN, "GET", "/admin/keys?order=name&limit=1");
    let by_name = json(by_name).await;
    let path = format!("{path}?after={}", by_name["next"].as_str().unwrap());
    let request = || ask(&harness, ADMIN, "GET", &path);
    insta::assert_snapshot!("wrong_cursor", in_both_languages(request).await, &path);
}

#[tokio::test]
async fn a_person_has_ten_active_keys_and_creates_twenty_an_hour_at_most() {
    let revoked = |_, key| ApiKey {
        created_at: now() - TimeDelta::minutes(30),
        revoked_at: Some(now()),
        ..key
    };
    for (name, harness) in [
        ("too_many_keys", with_keys("member", 9, |_, key| key).await),
        ("too_many_new_keys", with_keys("member", 20, revoked).await),
    ] {
        let request = || with_json(ask(&harness, MEMBER, "POST", "/keys"), r#"{"name":"till"}"#);
        insta::assert_snapshot!(name, in_both_languages(request).await);
    }
}
