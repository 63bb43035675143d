//! Keys on the command line, beside the running server: created and revoked.

use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Key, endpoints, eventually, headers, request};

#[tokio::test]
async fn a_revocation_by_another_process_takes_effect_within_a_second() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    assert_eq!(gateway.status_of(&key).await, 200);
    let revoked = gateway.run(&["keys", "revoke", &key.id]);
    assert!(revoked.status.success());
    eventually("the key is refused", Duration::from_secs(1), async || {
        gateway.status_of(&key).await == 401
    })
    .await;
    let first: Value = serde_json::from_slice(&revoked.stdout).unwrap();
    let again: Value =
        serde_json::from_slice(&gateway.run(&["keys", "revoke", &key.id]).stdout).unwrap();
    assert_eq!(first["revoked_at"], again["revoked_at"]);
}

#[tokio::test]
async fn a_key_that_was_revoked_before_the_start_is_refused_after_it() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    assert!(gateway.run(&["keys", "revoke", &key.id]).status.success());
    let gateway = crate::gateway::Plan::in_folder(gateway.stop()).start();
    assert_eq!(gateway.status_of(&key).await, 401);
}

#[tokio::test]
async fn all_refused_keys_get_one_answer() {
    let gateway = Gateway::start();
    let good = gateway.roomy_key();
    let revoked = gateway.roomy_key();
    assert!(
        gateway
            .run(&["keys", "revoke", &revoked.id])
            .status
            .success()
    );
    let wrong = format!("{}.{}", good.prefix, "x".repeat(24));
    let candidates = [
        headers(&[]),
        headers(&[("x-api-key", "")]),
        headers(&[("x-api-key", "nonsense")]),
        headers(&[("x-api-key", "cep_test_AAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA")]),
        headers(&[("x-api-key", &wrong)]),
        headers(&[("x-api-key", &revoked.full)]),
        headers(&[("authorization", &format!("Bearer {}", good.full))]),
        headers(&[("cookie", &format!("x-api-key={}", good.full))]),
        [
            headers(&[("x-api-key", &good.full)]),
            headers(&[("x-api-key", &good.full)]),
        ]
        .into_iter()
        .fold(reqwest::header::HeaderMap::new(), |mut both, one| {
            both.append("x-api-key", one["x-api-key"].clone());
            both
        }),
    ];
    let mut answers = Vec::new();
    for candidate in candidates {
        let mut sent = candidate;
        sent.insert("x-request-id", "same".parse().unwrap());
        sent.insert("content-type", "application/json".parse().unwrap());
        let url = gateway.url(&format!("/v1/cep/xml?x-api-key={}", good.full));
        let answer = gateway
            .client
            .post(url)
            .headers(sent)
            .body(request(1, "10.00").to_string())
            .send()
            .await
            .unwrap();
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
    assert!(
        gateway
            .run(&["keys", "revoke", &revoked.id])
            .status
            .success()
    );

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

#[tokio::test]
async fn a_new_key_works_at_once_on_every_endpoint() {
    let gateway = Gateway::start();
    let key = gateway.key(&[]);
    for endpoint in endpoints() {
        assert_eq!(
            gateway
                .post(endpoint, &key, &request(1, "10.00"))
                .await
                .status(),
            200,
            "{endpoint}"
        );
    }
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let gateway = Gateway::start();
    for (arguments, named) in [
        (
            &["keys", "create", "--name", "", "--env", "test"][..],
            "--name",
        ),
        (&["keys", "create", "--name", "a", "--env", "prod"], "--env"),
        (
            &["keys", "create", "--name", "a", "--per-minute", "0"],
            "--per-minute",
        ),
        (
            &["keys", "create", "--name", "a", "--monthly-quota", "0"],
            "--monthly-quota",
        ),
        (
            &["keys", "revoke", "0198f3c2-0000-7000-8000-000000000000"],
            "no key has the id",
        ),
        (&["keys", "revoke", "nonsense"], "ID"),
    ] {
        let refused = gateway.run(arguments);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(
            !refused.status.success() && said.contains(named),
            "{arguments:?}: {said}"
        );
    }
}

#[tokio::test]
async fn every_refusal_is_the_same_on_every_endpoint() {
    let gateway = Gateway::start();
    let poor = gateway.key(&["--per-minute", "100", "--monthly-quota", "1"]);
    let hurried = gateway.key(&["--per-minute", "1", "--monthly-quota", "100"]);
    let roomy = gateway.roomy_key();
    let body = request(1, "10.00");
    for key in [&poor, &hurried] {
        assert_eq!(gateway.post("xml", key, &body).await.status(), 200);
    }
    let unknown = Key {
        full: "cep_test_AAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        ..roomy.clone()
    };
    for endpoint in endpoints() {
        assert_eq!(
            gateway.post(endpoint, &unknown, &body).await.status(),
            401,
            "{endpoint}"
        );
        assert_eq!(
            gateway.post(endpoint, &poor, &body).await.status(),
            402,
            "{endpoint}"
        );
        assert_eq!(
            gateway.post(endpoint, &hurried, &body).await.status(),
            429,
            "{endpoint}"
        );
        let large = gateway
            .post_text(endpoint, &roomy, " ".repeat(16_385))
            .await;
        assert_eq!(large.status(), 413, "{endpoint}");
        let text = gateway
            .asking(endpoint, &roomy)
            .header("content-encoding", "gzip")
            .body("x")
            .send()
            .await;
        assert_eq!(text.unwrap().status(), 415, "{endpoint}");
        let got = gateway
            .client
            .get(gateway.url(&format!("/v1/cep/{endpoint}")))
            .send()
            .await;
        assert_eq!(got.unwrap().status(), 405, "{endpoint}");
    }
}
