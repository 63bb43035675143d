//! A person's own keys.

use rstest::rstest;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::fakes::{ACTIVE_KEY, ADMIN, MEMBER, OTHER_MEMBER, OTHERS_KEY, REVOKED_KEY};
use super::{ask, in_both_languages, sent, with_json};
use crate::harness::Harness;

#[rstest]
#[case("/keys")]
#[case("/api/keys")]
#[tokio::test]
async fn a_new_key_shows_its_secret_once(#[case] path: &str) {
    let harness = Harness::start().await;
    let body = r#"{"name":" till 7 ","env":"test"}"#;
    let answer = sent(with_json(ask(&harness, MEMBER, "POST", path), body)).await;
    insta::assert_snapshot!("a_new_key", answer);
    insta::assert_snapshot!(
        "a_new_key_asked",
        harness.people.asked.lock().unwrap().join("\n")
    );
}

#[rstest]
#[case(r#"{"name":"till 7"}"#)]
#[case(r#"{"name":"till 7","env":null}"#)]
#[case(r#"{"env":"live","name":"till 7"}"#)]
#[tokio::test]
async fn a_key_is_live_unless_it_is_said_otherwise(#[case] body: &'static str) {
    let harness = Harness::start().await;
    let answer = sent(with_json(ask(&harness, MEMBER, "POST", "/keys"), body)).await;
    assert!(answer.starts_with("201"), "{answer}");
    assert!(answer.contains("cep_live_"), "{answer}");
}

#[rstest]
#[case::all("")]
#[case::all_in_so_many_words("?include_revoked=true")]
#[tokio::test]
async fn a_person_sees_all_keys_of_its_own(#[case] query: &str) {
    let harness = Harness::start().await;
    let answer = sent(ask(&harness, MEMBER, "GET", &format!("/api/keys{query}"))).await;
    insta::assert_snapshot!("all_keys", answer);
}

#[tokio::test]
async fn revoked_keys_can_be_hidden() {
    let harness = Harness::start().await;
    let answer = sent(ask(&harness, MEMBER, "GET", "/keys?include_revoked=false")).await;
    insta::assert_snapshot!("active_keys", answer);
}

#[tokio::test]
async fn a_person_without_keys_sees_an_empty_list() {
    let harness = Harness::start().await;
    let answer = sent(ask(&harness, ADMIN, "GET", "/keys")).await;
    assert!(answer.starts_with("200"), "{answer}");
    assert!(answer.ends_with("\n\n[]"), "{answer}");
}

#[tokio::test]
async fn a_key_is_revoked_once_and_stays_so() {
    let harness = Harness::start().await;
    let revoke = || ask(&harness, MEMBER, "DELETE", &format!("/keys/{ACTIVE_KEY}"));
    let first = sent(revoke()).await;
    insta::assert_snapshot!("a_revoked_key", first);
    assert_eq!(sent(revoke()).await, first);

    let path = format!("/api/keys/{REVOKED_KEY}");
    let earlier = sent(ask(&harness, MEMBER, "DELETE", &path)).await;
    assert!(
        earlier.contains(r#""revoked_at":"2026-11-19T12:00:00.000Z""#),
        "{earlier}"
    );
}

#[tokio::test]
async fn another_owners_key_does_not_exist() {
    let harness = Harness::start().await;
    let revoke = |id: &'static str| {
        let harness = &harness;
        move || ask(harness, MEMBER, "DELETE", &format!("/keys/{id}"))
    };
    let unknown = in_both_languages(revoke("0198f3c2-7d3e-7000-8000-00000000dead")).await;
    insta::assert_snapshot!("no_such_key", unknown);
    for id in [OTHERS_KEY, "7", "%FF", "x%20y"] {
        assert_eq!(in_both_languages(revoke(id)).await, unknown, "{id}");
    }
    let theirs = sent(ask(&harness, OTHER_MEMBER, "GET", "/keys")).await;
    assert!(theirs.contains(r#""revoked_at":null"#), "{theirs}");
}

#[tokio::test]
async fn an_admins_own_keys_are_its_own_alone() {
    let harness = Harness::start().await;
    let path = format!("/keys/{ACTIVE_KEY}");
    let answer = sent(ask(&harness, ADMIN, "DELETE", &path)).await;
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
    let harness = Harness::start().await;
    let request = with_json(ask(&harness, MEMBER, method, path), "{}");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], allowed);
    assert!(harness.people.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_revocation_that_has_begun_ends_though_its_caller_hangs_up() {
    let harness = Harness::start().await;
    let people = &harness.people;
    people.turns.forget_permits(usize::MAX);
    let mut caller = TcpStream::connect(harness.address).await.unwrap();
    let request = format!(
        "DELETE /keys/{ACTIVE_KEY} HTTP/1.1\r\nhost: x\r\nx-request-id: test-1\r\n\
         cookie: cep_session={MEMBER}\r\n\r\n"
    );
    caller.write_all(request.as_bytes()).await.unwrap();
    while people.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(harness.tasks.len(), 1, "it is nobody's but its caller's");
    drop(caller);
    people.turns.add_permits(1);
    harness.tasks.close();
    harness.tasks.wait().await;
    assert!(people.is_revoked(ACTIVE_KEY));
}
