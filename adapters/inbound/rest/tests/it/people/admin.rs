//! Routes for admins, which members may not use.

use std::collections::BTreeSet;

use domain::keys::{ApiKey, KeyId, KeyName};
use domain::limits::Plan;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::CustomerId;
use ports::outbound::{CustomerStore as _, KeyChange, KeyStore as _, Scope};
use rstest::rstest;
use serde_json::Value;
use testkit::people::owner;

use super::data::{
    ACCOUNT, ACTIVE_KEY, ADMIN, MEMBER, OTHER_ACCOUNT, OTHERS_KEY, REVOKED_KEY, UNKNOWN, change,
    with_keys, write_down,
};
use super::{ask, json, with_json};
use crate::data::{add_key, id, new_key, now};
use crate::harness::{Exchange, Harness, in_both_languages};

/// A member of each item of a list.
fn texts(items: &Value, name: &str) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    let text = |item: &Value| item[name].as_str().unwrap().to_owned();
    items.map(text).collect()
}

/// Every operation of an admin's: its name, method, path and body.
pub(super) fn operations() -> Vec<(&'static str, &'static str, String, &'static str)> {
    let key = format!("/admin/keys/{OTHERS_KEY}");
    let account = format!("/admin/accounts/{ACCOUNT}");
    let usage = "/admin/usage?breakdown=outcome&granularity=hour&newest=3";
    let limits = r#"{"per_minute":120,"monthly_quota":5000}"#;
    let plan = r#"{"plan":"enterprise","existing_keys":"follow"}"#;
    vec![
        ("keys", "GET", "/admin/keys".to_owned(), ""),
        ("key", "GET", key.clone(), ""),
        ("limits_set", "PATCH", key.clone(), limits),
        ("key_revoked", "DELETE", key, ""),
        ("accounts", "GET", "/admin/accounts".to_owned(), ""),
        ("plan_set", "PATCH", account, plan),
        ("usage", "GET", usage.to_owned(), ""),
        ("audit", "GET", "/admin/audit".to_owned(), ""),
    ]
}

#[rstest]
#[case("")]
#[case("/api")]
#[tokio::test]
async fn each_operation_has_its_answer(#[case] alias: &str) {
    for (name, method, path, body) in operations() {
        let harness = Harness::of_people().await;
        let request = ask(&harness, ADMIN, method, &format!("{alias}{path}"));
        let answer = with_json(request, body).transcript().await;
        insta::assert_snapshot!(name, answer);
    }
}

#[tokio::test]
async fn members_may_use_no_admin_route() {
    let harness = Harness::of_people().await;
    for (name, method, path, body) in operations() {
        let request = || with_json(ask(&harness, MEMBER, method, &path), body);
        insta::assert_snapshot!("admins_only", in_both_languages(request).await, name);
    }
}

/// Each key fails another one of the filters.
#[rstest]
#[case::by_everything(
    "text=%20till&account_id=0198f3c2-7d3e-7000-8000-0000000000a2&state=active,retiring&state=revoked&env=live&order=name_descending&limit=2",
    &["till 7", "till 6"],
    3
)]
#[case::by_nothing("text=", &["till 9", "cellar", "till 7", "till 6", "till 5", "till 4 \"ñ\"", "old"], 7)]
#[case::by_text("text=till+4", &["till 4 \"ñ\""], 1)]
#[case::by_owner("account_id=0198f3c2-7d3e-7000-8000-0000000000a1", &["till 4 \"ñ\"", "old"], 2)]
#[case::by_state("state=retiring,revoked", &["till 7", "till 5", "old"], 3)]
#[case::by_environment("env=test", &["till 9", "old"], 2)]
#[case::in_order(
    "order=name",
    &["cellar", "old", "till 4 \"ñ\"", "till 5", "till 6", "till 7", "till 9"],
    7
)]
#[tokio::test]
async fn keys_are_filtered_sorted_and_paged(
    #[case] query: &str,
    #[case] names: &[&str],
    #[case] total: usize,
) {
    let harness = Harness::of_people().await;
    let services = &harness.gateway.services;
    let other = services.store.customer(&owner("other")).await.unwrap();
    for (number, name, prefix) in [
        (6, "till 6", "cep_live_Other006"),
        (7, "till 7", "cep_live_Other007"),
        (8, "cellar", "cep_live_Other008"),
        (9, "till 9", "cep_test_Other009"),
    ] {
        let id = format!("0198f3c2-7d3e-7000-8000-00000000000{number}");
        let key = ApiKey {
            revoked_at: (number == 7).then(now),
            ..new_key(&id, other.as_ref().unwrap(), name, prefix)
        };
        add_key(services, key).await;
    }
    let page = json(ask(&harness, ADMIN, "GET", &format!("/admin/keys?{query}"))).await;
    assert_eq!(texts(&page["items"], "name"), names);
    assert_eq!(page["total"], total);
    assert_eq!(page["next"].is_string(), names.len() < total);
}

#[tokio::test]
async fn a_page_has_fifty_items_by_default() {
    let harness = with_keys("other", 50, |_, key| key).await;
    for (query, length) in [("", 50), ("?limit=53", 53)] {
        let page = json(ask(&harness, ADMIN, "GET", &format!("/admin/keys{query}"))).await;
        assert_eq!(page["items"].as_array().unwrap().len(), length);
        assert_eq!(page["total"], 53);
    }
}

#[tokio::test]
async fn accounts_are_searched_by_their_owners() {
    let harness = Harness::of_people().await;
    let services = &harness.gateway.services;
    let account = CustomerId(id(UNKNOWN));
    let added = services.add_customer(account, "mem ber", Plan::Startup, now());
    added.await;
    let path = "/admin/accounts?text=mem+ber&limit=100";
    let page = json(ask(&harness, ADMIN, "GET", path)).await;
    assert_eq!(texts(&page["items"], "id"), [UNKNOWN]);
}

#[tokio::test]
async fn usage_is_filtered_and_grouped() {
    let harness = Harness::of_people().await;
    let services = &harness.gateway.services;
    let (xml, pdf) = (Endpoint::Xml, Endpoint::Pdf);
    let (delivered, not_found) = (Outcome::Delivered, Outcome::NotFound);
    for (key, endpoint, outcome, at) in [
        // The period is that of whole months.
        (ACTIVE_KEY, xml, delivered, "2026-01-01T00:00:00Z"),
        (ACTIVE_KEY, xml, delivered, "2026-02-28T23:59:59Z"),
        (ACTIVE_KEY, xml, delivered, "2025-12-31T23:59:59Z"),
        (ACTIVE_KEY, xml, delivered, "2026-03-01T00:00:00Z"),
        (ACTIVE_KEY, xml, not_found, "2026-02-01T00:00:00Z"),
        (ACTIVE_KEY, pdf, delivered, "2026-02-01T00:00:00Z"),
        (REVOKED_KEY, xml, delivered, "2026-02-01T00:00:00Z"),
        (OTHERS_KEY, xml, delivered, "2026-02-01T00:00:00Z"),
        (OTHERS_KEY, xml, delivered, "2026-11-18T00:00:00Z"),
    ] {
        let store = services.store.elsewhere();
        let at = at.parse().unwrap();
        let found = store.find(Scope::Everybody, KeyId(id(key)), Month::of(at));
        let key = found.await.unwrap().unwrap().key;
        write_down(services, &key, endpoint, outcome, at).await;
    }
    let by_key =
        "granularity=month&from=2026-01-15T00:00:00-06:00&to=2026-03-01T00:00:00Z&breakdown=key";
    let of_key = format!("key_id={ACTIVE_KEY}&endpoint=xml&outcome=delivered");
    for (name, query) in [
        (
            "usage_by_everything",
            &*format!("account_id={ACCOUNT}&{by_key}&{of_key}"),
        ),
        (
            "usage_of_an_account",
            &format!("account_id={ACCOUNT}&{by_key}"),
        ),
        (
            "usage_up_to_now",
            "from=2026-11-18T23:00:00Z&breakdown=endpoint",
        ),
        ("usage_by_nothing", ""),
    ] {
        let path = format!("/admin/usage?{query}");
        let answer = ask(&harness, ADMIN, "GET", &path).transcript().await;
        assert!(answer.starts_with("200"), "{answer}");
        insta::assert_snapshot!(name, answer);
    }
}

#[tokio::test]
async fn the_audit_log_is_filtered_and_paged() {
    let harness = Harness::of_people().await;
    for at in [
        "2026-10-31T23:59:59Z",
        "2026-11-20T12:00:00Z",
        "2026-11-20T12:00:00.001Z",
    ] {
        let name = KeyName::parse(at).unwrap();
        let services = &harness.gateway.services;
        let at = at.parse().unwrap();
        change(services, ACTIVE_KEY, KeyChange::Rename(name), at).await;
    }
    let query = format!(
        "account_id={ACCOUNT}&key_id={ACTIVE_KEY}&from=2026-11-01T00:00:00Z&to=2026-11-20T12:00:00.001Z"
    );
    let read = async |query: &str| {
        let path = format!("/admin/audit?{query}");
        json(ask(&harness, ADMIN, "GET", &path)).await
    };
    let page = read(&query).await;
    let expected = ["2026-11-20T12:00:00.000Z", "2026-11-17T12:00:00.000Z"];
    assert_eq!(texts(&page["items"], "at"), expected);
    let page = read(&format!("{query}&limit=1")).await;
    assert_eq!(texts(&page["items"], "action"), ["key_renamed"]);
    assert_eq!(page["total"], 2);
    let page = read(&format!("account_id={OTHER_ACCOUNT}")).await;
    assert_eq!(texts(&page["items"], "key_id"), [OTHERS_KEY]);
}

#[tokio::test]
async fn limits_that_are_not_given_stay_as_they_are() {
    let path = format!("/admin/keys/{ACTIVE_KEY}");
    let trillion = r#"{"monthly_quota":1000000000000}"#;
    for (body, per_minute, monthly_quota) in [
        (r#"{"per_minute":1}"#, 1, Some(2_000)),
        (trillion, 90, Some(1_000_000_000_000_u64)),
        (r#"{"monthly_quota":null}"#, 90, None),
        (r#"{"plan":"enterprise"}"#, 600, None),
        (r#"{"plan":"enterprise","per_minute":1200}"#, 1_200, None),
        (r#"{"plan":"startup","monthly_quota":null}"#, 60, None),
    ] {
        let harness = Harness::of_people().await;
        let change = async |body: &'static str| {
            let changed = json(with_json(ask(&harness, ADMIN, "PATCH", &path), body)).await;
            let found = json(ask(&harness, ADMIN, "GET", &path)).await;
            assert_eq!(changed, found);
            found
        };
        change(r#"{"per_minute":90,"monthly_quota":2000}"#).await;
        let key = change(body).await;
        assert_eq!(key["per_minute"], per_minute, "{body}");
        assert_eq!(key["monthly_quota"], Value::from(monthly_quota), "{body}");
    }
}

#[tokio::test]
async fn existing_keys_keep_their_limits_by_default() {
    for (body, per_minute) in [
        (r#"{"plan":"enterprise"}"#, 60),
        (r#"{"plan":"enterprise","existing_keys":"keep"}"#, 60),
        (r#"{"plan":"enterprise","existing_keys":"follow"}"#, 600),
    ] {
        let harness = Harness::of_people().await;
        let path = format!("/api/admin/accounts/{ACCOUNT}");
        let account = json(with_json(ask(&harness, ADMIN, "PATCH", &path), body)).await;
        assert_eq!(account["plan"], "enterprise");
        let key = format!("/admin/keys/{ACTIVE_KEY}");
        let key = json(ask(&harness, ADMIN, "GET", &key)).await;
        assert_eq!(key["per_minute"], per_minute, "{body}");
    }
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let harness = Harness::of_people().await;
    for (path, total) in [
        ("/admin/keys", 3),
        ("/admin/accounts", 2),
        ("/admin/audit", 4),
    ] {
        let mut ids = BTreeSet::new();
        let mut after = String::new();
        for number in 1..=total {
            let page = format!("{path}?limit=1{after}");
            let page = json(ask(&harness, ADMIN, "GET", &page)).await;
            assert_eq!(page["total"], total);
            ids.extend(texts(&page["items"], "id"));
            assert_eq!(page["next"].is_string(), number < total, "{path}");
            after = format!("&after={}", page["next"].as_str().unwrap_or_default());
        }
        assert_eq!(ids.len(), total, "{path}");
    }
}
