//! A person's own keys.

use chrono::TimeDelta;
use domain::keys::ApiKey;
use rstest::rstest;
use serde_json::Value;
use testkit::fakes::Fault;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::data::{
    ACTIVE_KEY, ADMIN, MEMBER, OTHER_MEMBER, OTHERS_KEY, REVOKED_KEY, UNKNOWN, with_keys,
};
use super::{ask, json, with_json};
use crate::harness::{Exchange, Harness, body as proof_request, in_both_languages};

#[rstest]
#[case("/keys")]
#[case("/api/keys")]
#[tokio::test]
async fn a_new_key_shows_its_secret_once(#[case] path: &str) {
    let harness = Harness::of_people().await;
    let body = r#"{"name":" till 7 ","env":"test"}"#;
    let request = with_json(ask(&harness, MEMBER, "POST", path), body);
    let mut answer = request.transcript().await;
    let (_, json) = answer.split_once("\n\n").unwrap();
    let created: Value = serde_json::from_str(json).unwrap();
    let text = |name: &str| created[name].as_str().unwrap().to_owned();
    let (id, prefix, secret) = (text("id"), text("prefix"), text("api_key"));
    assert!(prefix.starts_with("cep_test_"), "{answer}");
    for (generated, name) in [(&secret, "[api key]"), (&prefix, "[prefix]"), (&id, "[id]")] {
        answer = answer.replace(generated, name);
    }
    insta::assert_snapshot!("a_new_key", answer);

    let listed = ask(&harness, MEMBER, "GET", "/keys").transcript().await;
    assert!(listed.contains(&prefix), "{listed}");
    assert!(!listed.contains(&secret), "{listed}");
    assert!(listed.contains(r#""name":"till 7""#), "{listed}");
    let proof = harness.post_by(&secret, "/v1/cep/xml", proof_request(&[]));
    assert_eq!(proof.status().await, 200);
}

#[tokio::test]
async fn a_key_is_live_by_default() {
    let harness = Harness::of_people().await;
    for body in [
        r#"{"name":"till 7"}"#,
        r#"{"name":"till 7","env":null}"#,
        r#"{"env":"live","name":"till 7"}"#,
    ] {
        let request = with_json(ask(&harness, MEMBER, "POST", "/keys"), body);
        let created = request.json_of(201).await;
        let key = created["api_key"].as_str().unwrap();
        assert!(key.starts_with("cep_live_"), "{created}");
    }
}

#[tokio::test]
async fn a_person_sees_the_keys_of_its_own() {
    let harness = Harness::of_people().await;
    for (query, snapshot) in [
        ("", "all_keys"),
        ("?include_revoked=true", "all_keys"),
        ("?include_revoked=false", "active_keys"),
    ] {
        let path = format!("/api/keys{query}");
        let answer = ask(&harness, MEMBER, "GET", &path).transcript().await;
        insta::assert_snapshot!(snapshot, answer, query);
    }
    // The admin has none.
    let answer = ask(&harness, ADMIN, "GET", "/keys").transcript().await;
    assert!(answer.starts_with("200"), "{answer}");
    assert!(answer.ends_with("\n\n[]"), "{answer}");
}

#[tokio::test]
async fn a_key_is_revoked_once_and_stays_so() {
    let harness = Harness::of_people().await;
    let revoke = || ask(&harness, MEMBER, "DELETE", &format!("/keys/{ACTIVE_KEY}"));
    let first = revoke().transcript().await;
    insta::assert_snapshot!("a_revoked_key", first);
    assert_eq!(revoke().transcript().await, first);

    let path = format!("/api/keys/{REVOKED_KEY}");
    let earlier = json(ask(&harness, MEMBER, "DELETE", &path)).await;
    assert_eq!(earlier["revoked_at"], "2026-11-19T12:00:00.000Z");
}

#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let harness = Harness::of_people().await;
    for id in [UNKNOWN, OTHERS_KEY, "7", "%FF", "x%20y"] {
        let revoke = || ask(&harness, MEMBER, "DELETE", &format!("/keys/{id}"));
        insta::assert_snapshot!("no_such_key", in_both_languages(revoke).await, id);
    }
    // An admin's own keys are its own alone.
    let path = format!("/keys/{ACTIVE_KEY}");
    assert_eq!(ask(&harness, ADMIN, "DELETE", &path).status().await, 404);
    for owner in [MEMBER, OTHER_MEMBER] {
        let theirs = json(ask(&harness, owner, "GET", "/keys")).await;
        assert_eq!(theirs[0]["revoked_at"], Value::Null, "{theirs}");
    }
}

#[tokio::test]
async fn a_revocation_that_has_begun_ends_though_its_caller_hangs_up() {
    let harness = Harness::of_people().await;
    let faults = harness.store_faults();
    faults.inject_into("change", Fault::Hangs);
    let mut caller = TcpStream::connect(harness.address).await.unwrap();
    let request = format!(
        "DELETE /keys/{ACTIVE_KEY} HTTP/1.1\r\nhost: x\r\nx-request-id: test-1\r\n\
         cookie: cep_session={MEMBER}\r\n\r\n"
    );
    caller.write_all(request.as_bytes()).await.unwrap();
    while !faults.calls().contains_key("change") {
        tokio::task::yield_now().await;
    }
    assert_eq!(harness.tasks.len(), 1, "it is nobody's but its caller's");
    drop(caller);
    faults.clear();
    harness.all_ended().await;
    let key = ask(&harness, ADMIN, "GET", &format!("/admin/keys/{ACTIVE_KEY}"));
    assert_eq!(json(key).await["state"], "revoked");
}

/// A gateway in which the member has 1,200 keys, as one has who makes and revokes them again and again.
async fn with_many_keys() -> Harness {
    let edit = |number, key: ApiKey| ApiKey {
        created_at: key.created_at - TimeDelta::hours(number),
        ..key
    };
    with_keys("member", 1_200, edit).await
}

#[tokio::test]
async fn a_long_list_is_whole_and_read_in_pages() {
    let few = json(ask(&Harness::of_people().await, MEMBER, "GET", "/keys")).await;
    let harness = with_many_keys().await;
    harness.store_faults().forget_calls();

    let many = json(ask(&harness, MEMBER, "GET", "/keys")).await;

    let (few, many) = (few.as_array().unwrap(), many.as_array().unwrap());
    assert_eq!(many.len(), few.len() + 1_200);
    assert_eq!(harness.store_faults().calls()["of_customer"], 3);
    let instants = many.iter().map(|key| key["created_at"].as_str().unwrap());
    assert!(instants.is_sorted_by(|one, next| one >= next), "{many:#?}");
    assert!(few.iter().all(|key| many.contains(key)));
}

#[tokio::test]
async fn a_long_list_that_breaks_off_is_no_answer() {
    let harness = with_many_keys().await;
    // The customer and the first page are read.
    harness.store_faults().fail_once_after(2);
    let request = ask(&harness, MEMBER, "GET", "/keys");
    let body = async { request.send().await?.bytes().await };
    body.await.unwrap_err();
}

#[tokio::test]
async fn a_loop_that_creates_and_revokes_keys_is_told_to_wait_and_proofs_beside_it_are_delivered() {
    let harness = Harness::of_people().await;
    let new_key = r#"{"name":"x","env":"test"}"#;
    let new = || with_json(ask(&harness, MEMBER, "POST", "/keys"), new_key);
    let created = json(new()).await;
    let (mut done, mut refused) = (1, 0);
    for _ in 0..50 {
        let path = format!("/keys/{ACTIVE_KEY}");
        for request in [new(), ask(&harness, MEMBER, "DELETE", &path)] {
            let answer = request.response().await;
            match answer.status().as_u16() {
                429 => refused += usize::from(answer.headers().contains_key("retry-after")),
                _ => done += 1,
            }
        }
        let key = created["api_key"].as_str().unwrap();
        let proof = harness.post_by(key, "/v1/cep/xml", proof_request(&[]));
        assert_eq!(proof.status().await, 200);
    }
    assert_eq!((done, refused), (30, 71));
    json(ask(&harness, OTHER_MEMBER, "GET", "/keys")).await;
}
