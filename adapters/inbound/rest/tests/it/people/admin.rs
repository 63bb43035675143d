//! Routes for admins, which members may not use.

use rstest::rstest;

use super::fakes::{ACCOUNT, ACTIVE_KEY, ADMIN, MEMBER, OTHERS_KEY};
use super::{ask, in_both_languages, sent, with_json};
use crate::harness::Harness;

/// Every operation of an admin's: its name, method, path and body.
fn operations() -> Vec<(&'static str, &'static str, String, Option<&'static str>)> {
    let key = format!("/admin/keys/{OTHERS_KEY}");
    let account = format!("/admin/accounts/{ACCOUNT}");
    vec![
        ("keys", "GET", "/admin/keys".to_owned(), None),
        ("key", "GET", key.clone(), None),
        (
            "limits_set",
            "PATCH",
            key.clone(),
            Some(r#"{"per_minute":120,"monthly_quota":5000}"#),
        ),
        ("key_revoked", "DELETE", key, None),
        ("accounts", "GET", "/admin/accounts".to_owned(), None),
        (
            "plan_set",
            "PATCH",
            account,
            Some(r#"{"plan":"enterprise","existing_keys":"follow"}"#),
        ),
        (
            "usage",
            "GET",
            "/admin/usage?by=outcome&granularity=hour&newest=3".to_owned(),
            None,
        ),
        ("audit", "GET", "/admin/audit".to_owned(), None),
    ]
}

#[rstest]
#[case("")]
#[case("/api")]
#[tokio::test]
async fn each_operation_has_its_answer(#[case] alias: &str) {
    for (name, method, path, body) in operations() {
        let harness = Harness::start().await;
        let request = ask(&harness, ADMIN, method, &format!("{alias}{path}"));
        let request = match body {
            Some(body) => with_json(request, body),
            None => request,
        };
        insta::assert_snapshot!(name, sent(request).await);
    }
}

#[tokio::test]
async fn members_may_do_none_of_it() {
    let harness = Harness::start().await;
    for (name, method, path, body) in operations() {
        let request = || {
            let request = ask(&harness, MEMBER, method, &path);
            match body {
                Some(body) => with_json(request, body),
                None => request,
            }
        };
        insta::assert_snapshot!("admins_only", in_both_languages(request).await, name);
    }
}

#[rstest]
#[case(
    "keys_by_everything",
    "/admin/keys?q=%20till&owner=0198f3c2-7d3e-7000-8000-0000000000a2&state=active,retiring&state=revoked&env=live&order=name_descending&limit=7"
)]
#[case("keys_by_nothing", "/admin/keys?q=")]
#[case("accounts_by_text", "/admin/accounts?q=mem+ber&limit=100")]
#[case(
    "usage_by_everything",
    "/admin/usage?account=0198f3c2-7d3e-7000-8000-0000000000a1&key=0198f3c2-7d3e-7000-8000-000000000001&granularity=month&from=2026-01-15T00:00:00-06:00&to=2026-03-01T00:00:00Z&by=key&endpoint=xml&outcome=delivered"
)]
#[case(
    "usage_up_to_now",
    "/admin/usage?from=2026-11-18T23:00:00Z&by=endpoint"
)]
#[case("usage_by_nothing", "/admin/usage")]
#[case(
    "audit_by_everything",
    "/admin/audit?account=0198f3c2-7d3e-7000-8000-0000000000a1&key=0198f3c2-7d3e-7000-8000-000000000001&from=2026-11-01T00:00:00Z&to=2026-11-20T12:00:00.001Z&limit=1"
)]
#[tokio::test]
async fn a_question_reaches_the_port_as_it_was_asked(#[case] name: &str, #[case] path: &str) {
    let harness = Harness::start().await;
    let answer = sent(ask(&harness, ADMIN, "GET", path)).await;
    assert!(answer.starts_with("200"), "{answer}");
    insta::assert_snapshot!(name, harness.people.asked.lock().unwrap().join("\n"));
}

#[rstest]
#[case("rate", r#"{"per_minute":1}"#)]
#[case("quota", r#"{"monthly_quota":1000000000000}"#)]
#[case("no_cap", r#"{"monthly_quota":null}"#)]
#[case("plan", r#"{"plan":"enterprise"}"#)]
#[case("plan_and_rate", r#"{"plan":"enterprise","per_minute":1200}"#)]
#[case("plan_and_quota", r#"{"plan":"startup","monthly_quota":null}"#)]
#[tokio::test]
async fn what_is_not_said_of_limits_is_not_touched(#[case] name: &str, #[case] body: &'static str) {
    let harness = Harness::start().await;
    let path = format!("/admin/keys/{ACTIVE_KEY}");
    let answer = sent(with_json(ask(&harness, ADMIN, "PATCH", &path), body)).await;
    assert!(answer.starts_with("200"), "{answer}");
    let asked = harness.people.asked.lock().unwrap().join("\n");
    insta::assert_snapshot!(format!("change_{name}"), asked);
}

#[tokio::test]
async fn existing_keys_keep_their_limits_unless_it_is_said_otherwise() {
    let harness = Harness::start().await;
    let path = format!("/api/admin/accounts/{ACCOUNT}");
    sent(with_json(
        ask(&harness, ADMIN, "PATCH", &path),
        r#"{"plan":"enterprise"}"#,
    ))
    .await;
    let asked = harness.people.asked.lock().unwrap().join("\n");
    assert!(asked.contains("Keep"), "{asked}");
}

#[rstest]
#[case("/admin/keys", 3)]
#[case("/admin/accounts", 2)]
#[case("/admin/audit", 2)]
#[tokio::test]
async fn a_list_is_read_page_by_page(#[case] path: &str, #[case] total: usize) {
    let harness = Harness::start().await;
    let mut ids = Vec::new();
    let mut after = String::new();
    loop {
        let page = format!("{path}?limit=1{after}");
        let answer = ask(&harness, ADMIN, "GET", &page).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{page}");
        let page = answer.text().await.unwrap();
        let page: serde_json::Value = serde_json::from_str(&page).unwrap();
        assert_eq!(page["total"], total);
        for item in page["items"].as_array().unwrap() {
            ids.push(item["id"].as_str().unwrap().to_owned());
        }
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("&after={next}");
    }
    assert_eq!(ids.len(), total);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), total);
}
