//! Invalid requests and internal failures, in both languages.

use chrono::TimeDelta;
use domain::key::ApiKey;
use ports::outbound::CustomerStore as _;
use rstest::rstest;
use testkit::fakes::Fault;
use testkit::people::{PeopleServices, owner};

use super::data::{ACCOUNT, ACTIVE_KEY, ADMIN, MEMBER, OTHERS_KEY, UNKNOWN, people};
use super::{admin, ask, json, with_json};
use crate::data::{add_key, new_key, now};
use crate::harness::{Exchange, Harness, in_both_languages};

const KEY: &str = "/admin/keys/0198f3c2-7d3e-7000-8000-000000000001";
const NEW: &str = "/keys";

/// A body for keys is sent to create one, any other one to change what has the path.
#[rstest]
#[case("create_without_a_name", NEW, r#"{"env":"test"}"#)]
#[case("create_with_wrong_types", NEW, r#"{"name":7,"env":["live"]}"#)]
#[case("create_with_wrong_values", NEW, r#"{"name":"a\u0007","env":"prod"}"#)]
#[case(
    "create_with_what_is_not_its_own_to_choose",
    NEW,
    r#"{"name":"till","per_minute":9999,"owner":{"subject":"other"},"monthly_quota":null}"#
)]
#[case(
    "create_with_a_name_twice",
    NEW,
    r#"{"name":"till","n\u0061me":"tall"}"#
)]
#[case("create_with_no_body", NEW, "")]
#[case("create_with_no_object", NEW, r#"["till"]"#)]
#[case(
    "create_with_misspelt_members",
    NEW,
    r#"{"Name":"till","Env":"test","owner":{"name":"x"}}"#
)]
#[case("create_with_a_query", "/keys?env=test", r#"{"name":"till"}"#)]
#[case(
    "limits_out_of_range",
    KEY,
    r#"{"per_minute":0,"monthly_quota":1000000000001,"plan":"platinum"}"#
)]
#[case(
    "limits_of_wrong_types",
    KEY,
    r#"{"per_minute":null,"monthly_quota":"1000","plan":1}"#
)]
#[case(
    "limits_with_misspelt_members",
    KEY,
    r#"{"perMinute":60,"montly_quota":1000}"#
)]
#[case(
    "limits_that_are_no_whole_numbers",
    KEY,
    r#"{"per_minute":60.0,"monthly_quota":1e3,"name":"mine"}"#
)]
#[case("limits_of_nothing", KEY, "{}")]
#[case(
    "plan_missing",
    "/admin/accounts/0198f3c2-7d3e-7000-8000-0000000000a1",
    r#"{"existing_keys":"all"}"#
)]
#[tokio::test]
async fn all_faults_of_a_body_are_reported(
    #[case] name: &str,
    #[case] path: &str,
    #[case] body: &'static str,
) {
    let harness = Harness::of_people().await;
    let method = if path.starts_with(NEW) {
        "POST"
    } else {
        "PATCH"
    };
    let request = || with_json(ask(&harness, ADMIN, method, path), body);
    insta::assert_snapshot!(name, in_both_languages(request).await);
    assert!(harness.store_faults().calls().is_empty());
}

#[rstest]
#[case("include_revoked_is_no_word", "/keys?include_revoked=yes")]
#[case(
    "include_revoked_twice",
    "/keys?include_revoked=true&include_revoked=false"
)]
#[case("include_revoked_misspelt", "/keys?include-revoked=false")]
#[case(
    "everything_wrong_with_a_list",
    "/admin/keys?q=%00&owner=me&state=active,dead&env=prod&order=random&limit=0&after=7&page=2"
)]
#[case(
    "everything_wrong_with_use",
    "/admin/usage?account=1&key=2&granularity=week&newest=0&from=2026-11-20&to=now&by=bank&endpoint=yaml&outcome=good"
)]
#[case(
    "newest_beside_from",
    "/admin/usage?newest=3&from=2026-11-20T00:00:00Z"
)]
#[case("to_without_from", "/admin/usage?to=2026-11-20T00:00:00Z")]
#[case("too_many_slots", "/admin/usage?granularity=hour&newest=745")]
#[case(
    "too_long_a_period",
    "/admin/usage?granularity=hour&from=2025-11-20T00:00:00Z"
)]
#[case(
    "a_period_backwards",
    "/admin/usage?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z"
)]
#[case(
    "an_audit_backwards",
    "/admin/audit?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z"
)]
#[tokio::test]
async fn all_faults_of_a_query_are_reported(#[case] name: &str, #[case] path: &str) {
    let harness = Harness::of_people().await;
    let request = || ask(&harness, ADMIN, "GET", path);
    insta::assert_snapshot!(name, in_both_languages(request).await);
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn unknown_names_are_repeated_within_bounds() {
    let harness = Harness::of_people().await;
    let names: Vec<_> = (0..700)
        .map(|number| format!("\"{number}{}\":1", "x".repeat(9)))
        .collect();
    let body = format!(
        "{{\"name\":\"till\",\"{}\":1,{}}}",
        "y".repeat(1_000),
        names.join(",")
    );
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
            format!("/admin/usage?account={ACCOUNT}&key={OTHERS_KEY}"),
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

/// Adds a key of the member's.
async fn add_members_key(services: &PeopleServices, number: u32, edit: fn(ApiKey) -> ApiKey) {
    let member = services.store.customer(&owner("member")).await.unwrap();
    let id = format!("0198f3c2-7d3e-7000-8000-00000001{number:04}");
    let prefix = format!("cep_live_Many{number:04}");
    add_key(
        services,
        edit(new_key(&id, &member.unwrap(), "till", &prefix)),
    )
    .await;
}

#[tokio::test]
async fn a_person_has_ten_active_keys_at_most() {
    let services = people().await;
    for number in 1..10 {
        add_members_key(&services, number, |key| key).await;
    }
    let harness = Harness::over(services).await;
    let request = || with_json(ask(&harness, MEMBER, "POST", "/keys"), r#"{"name":"till"}"#);
    insta::assert_snapshot!("too_many_keys", in_both_languages(request).await);
}

#[tokio::test]
async fn a_person_creates_twenty_keys_an_hour_at_most() {
    let services = people().await;
    for number in 1..=20 {
        let revoked = |key| ApiKey {
            created_at: now() - TimeDelta::minutes(30),
            revoked_at: Some(now()),
            ..key
        };
        add_members_key(&services, number, revoked).await;
    }
    let harness = Harness::over(services).await;
    let request = || with_json(ask(&harness, MEMBER, "POST", "/keys"), r#"{"name":"till"}"#);
    insta::assert_snapshot!("too_many_new_keys", in_both_languages(request).await);
}
