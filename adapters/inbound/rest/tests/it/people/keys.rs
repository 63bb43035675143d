//! A person's own keys.

use chrono::TimeDelta;
use domain::key::ApiKey;
use ports::outbound::CustomerStore as _;
use rstest::rstest;
use serde_json::Value;
use testkit::fakes::Fault;
use testkit::people::owner;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::data::{
    ACTIVE_KEY, ADMIN, MEMBER, OTHER_MEMBER, OTHERS_KEY, REVOKED_KEY, UNKNOWN, people,
};
use super::{ask, json, with_json};
use crate::data::{add_key, new_key};
use crate::harness::{Exchange, Harness, body as proof_request, in_both_languages};

#[rstest]
#[case("/keys")]
#[case("/api/keys")]
#[tokio::test]
async fn a_new_key_shows_its_secret_once(#[case] path: &str) {
    let harness = Harness::of_people().await;
    let body = r#"{"name":" till 7 ","env":"test"}"#;
    let mut answer = with_json(ask(&harness, MEMBER, "POST", path), body)
        .transcript()
        .await;
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
    assert!(
        listed.contains(&prefix) && !listed.contains(&secret),
        "{listed}"
    );
    assert!(listed.contains(r#""name":"till 7""#), "{listed}");
    let proof = harness.post_by(&secret, "/v1/cep/xml", proof_request(&[]));
    assert_eq!(proof.response().await.status(), 200);
}

#[rstest]
#[case(r#"{"name":"till 7"}"#)]
#[case(r#"{"name":"till 7","env":null}"#)]
#[case(r#"{"env":"live","name":"till 7"}"#)]
#[tokio::test]
async fn a_key_is_live_by_default(#[case] body: &'static str) {
    let harness = Harness::of_people().await;
    let answer = with_json(ask(&harness, MEMBER, "POST", "/keys"), body)
        .transcript()
        .await;
    assert!(answer.starts_with("201"), "{answer}");
    assert!(answer.contains("cep_live_"), "{answer}");
}

#[rstest]
#[case::all("", "all_keys")]
#[case::all_in_so_many_words("?include_revoked=true", "all_keys")]
#[case::active_ones("?include_revoked=false", "active_keys")]
#[tokio::test]
async fn a_person_sees_the_keys_of_its_own(#[case] query: &str, #[case] snapshot: &str) {
    let harness = Harness::of_people().await;
    let path = format!("/api/keys{query}");
    let answer = ask(&harness, MEMBER, "GET", &path).transcript().await;
    insta::assert_snapshot!(snapshot, answer);
}

#[tokio::test]
async fn a_person_without_keys_sees_an_empty_list() {
    let harness = Harness::of_people().await;
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
    let earlier = ask(&harness, MEMBER, "DELETE", &path).transcript().await;
    assert!(
        earlier.contains(r#""revoked_at":"2026-11-19T12:00:00.000Z""#),
        "{earlier}"
    );
}

#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let harness = Harness::of_people().await;
    for id in [UNKNOWN, OTHERS_KEY, "7", "%FF", "x%20y"] {
        let revoke = || ask(&harness, MEMBER, "DELETE", &format!("/keys/{id}"));
        insta::assert_snapshot!("no_such_key", in_both_languages(revoke).await, id);
    }
    let theirs = ask(&harness, OTHER_MEMBER, "GET", "/keys")
        .transcript()
        .await;
    assert!(theirs.contains(r#""revoked_at":null"#), "{theirs}");
}

#[tokio::test]
async fn an_admins_own_keys_are_its_own_alone() {
    let harness = Harness::of_people().await;
    let path = format!("/keys/{ACTIVE_KEY}");
    let answer = ask(&harness, ADMIN, "DELETE", &path).transcript().await;
    assert!(answer.starts_with("404"), "{answer}");
}

#[rstest]
#[case("PUT", "/keys", "GET,HEAD,POST")]
#[case("DELETE", "/api/keys", "GET,HEAD,POST")]
#[case("GET", "/keys/0198f3c2-7d3e-7000-8000-000000000001", "DELETE")]
#[case("POST", "/admin/usage", "GET,HEAD")]
#[case("PATCH", "/api/admin/accounts", "GET,HEAD")]
#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones(
    #[case] method: &str,
    #[case] path: &str,
    #[case] allowed: &str,
) {
    let harness = Harness::of_people().await;
    let request = with_json(ask(&harness, MEMBER, method, path), "{}");
    let response = request.response().await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], allowed);
    assert!(harness.store_faults().calls().is_empty());
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

/// A member with 1,200 keys besides, as an account has that makes and revokes them again and again.
async fn with_many_keys() -> Harness {
    let services = people().await;
    let member = services.store.elsewhere().customer(&owner("member")).await;
    let member = member.unwrap().unwrap();
    for number in 0..1_200_i64 {
        let id = format!("0198f3c2-7d3e-7000-8000-0000000b{number:04}");
        let key = new_key(&id, &member, "till", &format!("cep_test_Long{number:04}"));
        let created_at = key.created_at - TimeDelta::hours(number);
        add_key(&services, ApiKey { created_at, ..key }).await;
    }
    Harness::over(services).await
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
        let proof = proof.response().await;
        assert_eq!(proof.status(), 200);
    }
    assert_eq!((done, refused), (30, 71));
    ask(&harness, OTHER_MEMBER, "GET", "/keys")
        .json_of(200)
        .await;
}
