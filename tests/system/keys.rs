//! Keys on the command line, beside the running server: created and revoked.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use crate::gateway::{Gateway, Key, Plan, command, endpoints, eventually, refusal, request};

#[tokio::test]
async fn a_revocation_by_another_process_takes_effect_within_a_second() {
    let (gateway, key) = Gateway::with_key();
    assert_eq!(gateway.status_of(&key).await, 200);
    let first = gateway.revoke(&key);
    eventually("the key is refused", Duration::from_secs(1), async || {
        gateway.status_of(&key).await == 401
    })
    .await;
    let again = gateway.revoke(&key);
    assert_eq!(first["revoked_at"], again["revoked_at"]);
}

#[tokio::test]
async fn a_key_that_was_revoked_before_the_start_is_refused_after_it() {
    let (gateway, key) = Gateway::with_key();
    gateway.revoke(&key);
    let gateway = Plan::in_folder(gateway.stop()).start();
    assert_eq!(gateway.status_of(&key).await, 401);
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
    assert!(
        answers.windows(2).all(|pair| pair[0] == pair[1]),
        "{answers:#?}"
    );
    assert_eq!(answers[0].0["www-authenticate"], "ApiKey realm=\"cep\"");
}

#[tokio::test]
async fn keys_are_listed_newest_first_without_their_secrets() {
    let gateway = Gateway::start();
    let keys: Vec<Key> = (0..3).map(|_| gateway.roomy_key()).collect();
    let listed = gateway.run(&["keys", "list", "--json"]);
    let text = String::from_utf8(listed.stdout).unwrap();
    let listed: Vec<Value> = serde_json::from_str(&text).unwrap();
    let ids: Vec<_> = listed
        .iter()
        .map(|key| key["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids[..3], [&*keys[2].id, &*keys[1].id, &*keys[0].id]);
    assert_eq!(listed[0]["monthly_quota"], Value::Null);
    for key in &keys {
        let secret = key.full.split_once('.').unwrap().1;
        assert!(!text.contains(secret));
    }
}

#[tokio::test]
async fn the_list_of_keys_shows_what_was_used_this_month_and_what_is_left() {
    let gateway = Gateway::start();
    let capped = gateway.key(&["--monthly-quota", "1000"]);
    let uncapped = gateway.roomy_key();
    let revoked = gateway.key(&["--monthly-quota", "50"]);
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

    let json = gateway.run(&["keys", "list", "--json"]).stdout;
    let json: Vec<Value> = serde_json::from_slice(&json).unwrap();
    let text = String::from_utf8(gateway.run(&["keys", "list"]).stdout).unwrap();
    for (key, month, words) in [
        (
            &capped,
            json!({ "used": 3, "remaining": 997 }),
            "  1000/month  3 used, 997 left this month  active  ",
        ),
        (
            &uncapped,
            json!({ "used": 2, "remaining": null }),
            "  no cap  2 used this month  active  ",
        ),
        (
            &revoked,
            json!({ "used": 1, "remaining": 49 }),
            "  50/month  1 used, 49 left this month  revoked ",
        ),
    ] {
        let listed = json.iter().find(|listed| listed["id"] == key.id);
        assert_eq!(listed.unwrap()["month"], month);
        let line = text.lines().find(|line| line.starts_with(&key.id)).unwrap();
        assert!(line.contains(words), "{line}");
    }
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

#[tokio::test]
async fn every_refusal_is_the_same_on_every_endpoint() {
    let gateway = Gateway::start();
    let poor = gateway.key(&["--per-minute", "100", "--monthly-quota", "1"]);
    let hurried = gateway.key(&["--per-minute", "1", "--monthly-quota", "100"]);
    let roomy = gateway.roomy_key();
    let body = request(1, "10.00").to_string();
    for key in [&poor, &hurried] {
        assert_eq!(gateway.status_of(key).await, 200);
    }
    let large = " ".repeat(16_385);
    for endpoint in endpoints() {
        for (key, body, status) in [
            (&Key::unknown(), &body, 401),
            (&poor, &body, 402),
            (&hurried, &body, 429),
            (&roomy, &large, 413),
        ] {
            let answer = gateway.post_text(endpoint, key, body.clone()).await;
            assert_eq!(answer.status(), status, "{endpoint}");
        }
        let compressed = gateway.asking(endpoint, &roomy);
        let compressed = compressed.header("content-encoding", "gzip").body("x");
        assert_eq!(compressed.send().await.unwrap().status(), 415, "{endpoint}");
        let read = gateway.get(&format!("/v1/cep/{endpoint}")).await;
        assert_eq!(read.status(), 405, "{endpoint}");
    }
}
