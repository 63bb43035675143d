//! Keys on the command line, beside the running server: created and revoked.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::gateway::{Gateway, Key, Plan, command, eventually, refusal, request};

#[tokio::test]
async fn a_revocation_by_another_process_takes_effect_within_a_second_and_for_good() {
    let (gateway, key) = Gateway::with_key();
    assert_eq!(gateway.status_of(&key).await, 200);
    let first = gateway.revoke(&key);
    let is_refused = async || gateway.status_of(&key).await == 401;
    eventually("it is refused", Duration::from_secs(1), is_refused).await;
    let again = gateway.revoke(&key);
    assert_eq!(first["revoked_at"], again["revoked_at"]);
    let gateway = Plan::in_folder(gateway.stop()).start();
    assert_eq!(gateway.status_of(&key).await, 401, "after a restart");
}

/// Other places and spellings of a key are tested at the REST API.
#[tokio::test]
async fn all_refused_keys_get_one_answer() {
    let gateway = Gateway::start();
    let (good, revoked) = (gateway.roomy_key(), gateway.roomy_key());
    gateway.revoke(&revoked);
    let wrong = format!("{}.{}", good.prefix, "x".repeat(24));
    let mut answers = Vec::new();
    for keys in [
        &[][..],
        &[&*Key::unknown().full],
        &[&wrong],
        &[&revoked.full],
        &[&good.full, &good.full],
    ] {
        let mut sent = HeaderMap::new();
        for key in keys {
            sent.append("x-api-key", HeaderValue::from_str(key).unwrap());
        }
        let url = gateway.url(&format!("/v1/cep/xml?x-api-key={}", good.full));
        let asked = gateway.client.post(url).headers(sent);
        let asked = asked
            .header("x-request-id", "same")
            .header("content-type", "application/json");
        let asked = asked.body(request(1, "10.00").to_string());
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), 401);
        let mut head = answer.headers().clone();
        head.remove("date");
        assert!(!head.contains_key("ratelimit"));
        answers.push((head, answer.text().await.unwrap()));
    }
    let are_alike = answers.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(are_alike, "{answers:#?}");
    assert_eq!(answers[0].0["www-authenticate"], "ApiKey realm=\"cep\"");
}

#[tokio::test]
async fn keys_are_listed_newest_first_with_this_months_use_and_without_their_secrets() {
    let gateway = Gateway::start();
    let capped = gateway.key(&["--monthly-quota", "1000"]);
    let revoked = gateway.key(&["--monthly-quota", "50"]);
    let uncapped = gateway.roomy_key();
    for (key, requests) in [(&capped, 3), (&uncapped, 2), (&revoked, 1)] {
        for number in 0..requests {
            let body = request(number, "10.00");
            assert_eq!(gateway.post("xml", key, &body).await.status(), 200);
        }
    }
    // The gateway's failure is refunded.
    let failed = gateway.post("xml", &capped, &request(9, "500.00")).await;
    assert!(failed.status().is_server_error(), "{failed:?}");
    gateway.revoke(&revoked);

    let json = gateway.says(&["keys", "list", "--json"]);
    let text = String::from_utf8(gateway.run(&["keys", "list"]).stdout).unwrap();
    for (place, key, month, words) in [
        (
            0,
            &uncapped,
            json!({ "used": 2, "remaining": null }),
            "  no cap  2 used this month  active  ",
        ),
        (
            1,
            &revoked,
            json!({ "used": 1, "remaining": 49 }),
            "  50/month  1 used, 49 left this month  revoked ",
        ),
        (
            2,
            &capped,
            json!({ "used": 3, "remaining": 997 }),
            "  1000/month  3 used, 997 left this month  active  ",
        ),
    ] {
        assert_eq!(json[place]["id"], key.id);
        assert_eq!(json[place]["month"], month);
        let line = text.lines().find(|line| line.starts_with(&key.id)).unwrap();
        assert!(line.contains(words), "{line}");
        let secret = key.full.split_once('.').unwrap().1;
        assert!(!text.contains(secret) && !json.to_string().contains(secret));
    }
    assert_eq!(json[0]["monthly_quota"], Value::Null);
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, named) in [
        ("create --name= --env test", "--name"),
        ("create --name a --env prod", "--env"),
        ("create --name a --per-minute 0", "--per-minute"),
        ("create --name a --monthly-quota 0", "--monthly-quota"),
        (
            "revoke 0198f3c2-0000-7000-8000-000000000000",
            "no key has the id",
        ),
        ("revoke nonsense", "ID"),
    ] {
        let mut keys = command(folder.path());
        let said = refusal(keys.arg("keys").args(arguments.split(' ')));
        assert!(said.contains(named), "{arguments:?}: {said}");
    }
}
