//! `/v1/cep/batches` under a session.

use reqwest::RequestBuilder;
use rstest::rstest;
use serde_json::json;

use super::data::{ACTIVE_KEY, ADMIN, MEMBER, OTHER_MEMBER, OTHERS_KEY, REVOKED_KEY, UNKNOWN};
use super::{ask, json as good};
use crate::batches::BELOW;
use crate::data::GOOD_KEY;
use crate::harness::{
    ALLOWED, Exchange, Harness, OURS, faults, header, in_both_languages, json_lines, json_of,
};

const BATCHES: &str = "/v1/cep/batches";
const TABLE: &str = "fecha,clave_rastreo,cuenta,monto,emisor,receptor\n\
                     2026-11-20,MBAN01,002010077777777771,10.00,40012,40002\n\
                     2026-11-20,MBAN02,002010077777777771,11.00,40012,40002\n";

fn with_table(request: RequestBuilder) -> RequestBuilder {
    request.header("content-type", "text/csv").body(TABLE)
}

/// A request of somebody's to create a batch.
fn creating(harness: &Harness, token: &str, query: &str) -> RequestBuilder {
    with_table(ask(harness, token, "POST", &format!("{BATCHES}{query}")))
}

/// The path of a new batch of the member's.
async fn created(harness: &Harness) -> String {
    let request = creating(harness, MEMBER, &format!("?key_id={ACTIVE_KEY}"));
    let batch = good(request).await;
    format!("{BATCHES}/{}", batch["id"].as_str().unwrap())
}

/// The faulty field of a refused request, and its problem.
async fn refused(request: RequestBuilder) -> (String, String) {
    let answer = request.json_of(400).await;
    let (field, problem) = faults(&answer)[0];
    (field.to_owned(), problem.to_owned())
}

#[tokio::test]
async fn a_person_creates_reads_cancels_and_removes_a_batch() {
    let harness = Harness::of_people().await;
    let query = format!("?key_id={ACTIVE_KEY}&name=Lote&formats=xml,pdf");
    let preview = good(creating(&harness, MEMBER, &format!("{query}&dry_run=true"))).await;
    assert_eq!(
        (&preview["rows"], &preview["ready"]),
        (&json!(2), &json!(2))
    );
    let list = || ask(&harness, MEMBER, "GET", BATCHES);
    assert_eq!(good(list()).await["items"], json!([]));

    let answer = creating(&harness, MEMBER, &query).response().await;
    let path = header(&answer, "location").to_owned();
    assert_eq!(header(&answer, "ratelimit"), "");
    let batch = json_of(answer, 202).await;
    assert_eq!(batch["name"], "Lote");
    assert_eq!(good(ask(&harness, MEMBER, "GET", &path)).await, batch);
    assert_eq!(good(list()).await["items"], json!([batch]));

    let rows = format!("{path}/results?format=ndjson");
    let rows = ask(&harness, MEMBER, "GET", &rows).response().await;
    assert_eq!(json_lines(rows).await.len(), 2);
    for below in ["/files.zip", "/banxico.zip"] {
        let files = ask(&harness, MEMBER, "GET", &format!("{path}{below}"));
        let files = files.response().await;
        assert_eq!(header(&files, "content-type"), "application/zip", "{below}");
        assert_eq!(files.status(), 200, "{below}");
    }
    let import = ask(&harness, MEMBER, "POST", &format!("{path}/import"));
    let import = import.header("content-type", "application/zip").body("x");
    let import = import.json_of(400).await;
    assert_eq!(import["error"], "INVALID_REQUEST");

    let cancel = ask(&harness, MEMBER, "POST", &format!("{path}/cancel"));
    let canceled = good(cancel.header("content-type", "application/json")).await;
    assert_eq!(canceled["state"], "canceled");
    let removed = ask(&harness, MEMBER, "DELETE", &path).response().await;
    assert!(removed.status().is_success(), "{removed:?}");
    assert_eq!(good(list()).await["items"], json!([]));
}

#[rstest]
#[case::none(MEMBER, "", "missing")]
#[case::no_id(MEMBER, "?key_id=x", "malformed_id")]
#[case::of_nobody(MEMBER, &format!("?key_id={UNKNOWN}"), "no_such_key")]
#[case::of_somebody_else(MEMBER, &format!("?key_id={OTHERS_KEY}"), "no_such_key")]
#[case::of_somebody_else_for_an_admin(ADMIN, &format!("?key_id={ACTIVE_KEY}"), "no_such_key")]
#[case::revoked(MEMBER, &format!("?key_id={REVOKED_KEY}"), "no_such_key")]
#[tokio::test]
async fn a_batch_is_charged_to_an_active_key_of_the_persons_own(
    #[case] token: &str,
    #[case] query: &str,
    #[case] problem: &str,
) {
    let harness = Harness::of_people().await;
    let refusal = refused(creating(&harness, token, query)).await;
    assert_eq!(refusal, ("key_id".to_owned(), problem.to_owned()));
    let listed = good(ask(&harness, token, "GET", BATCHES)).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn a_caller_with_a_key_names_no_other_one() {
    let harness = Harness::start().await;
    let request = harness.request("POST", &format!("{BATCHES}?key_id={ACTIVE_KEY}"));
    let refusal = refused(with_table(request.header("x-api-key", GOOD_KEY))).await;
    assert_eq!(refusal, ("key_id".to_owned(), "excluded".to_owned()));
}

#[tokio::test]
async fn a_repeated_request_under_a_session_creates_no_second_batch() {
    let harness = Harness::of_people().await;
    let named = |query: &str| {
        let query = format!("?key_id={ACTIVE_KEY}{query}");
        let request = creating(&harness, MEMBER, &query);
        request.header("idempotency-key", "abc").send()
    };
    let first = json_of(named("").await.unwrap(), 202).await;
    let second = named("").await.unwrap();
    assert_eq!(header(&second, "idempotent-replayed"), "true");
    assert_eq!(json_of(second, 202).await, first);
    let another = json_of(named("&name=x").await.unwrap(), 422).await;
    assert_eq!(another["error"], "IDEMPOTENCY_KEY_REUSED");
    let listed = good(ask(&harness, MEMBER, "GET", BATCHES)).await;
    assert_eq!(listed["items"], json!([first]));
}

#[tokio::test]
async fn a_body_of_a_form_is_refused_with_the_types_that_are_taken() {
    let harness = Harness::of_people().await;
    for path in [BATCHES, &format!("{BATCHES}/{UNKNOWN}/cancel")] {
        let request = ask(&harness, MEMBER, "POST", path);
        let request = request.header("content-type", "text/plain").body(TABLE);
        let answer = request.json_of(415).await;
        let accepted = answer["details"]["accepted"].as_str().unwrap();
        assert!(accepted.contains("text/csv"), "{path}: {accepted}");
        assert!(accepted.contains("application/json"), "{path}: {accepted}");
    }
}

#[tokio::test]
async fn nobody_sees_the_batches_of_another_account() {
    let harness = Harness::of_people().await;
    let path = created(&harness).await;
    for token in [OTHER_MEMBER, ADMIN] {
        for (method, below) in BELOW {
            let request = ask(&harness, token, method, &format!("{path}{below}"));
            let request = request.header("content-type", "application/zip");
            let answer = request.json_of(404).await;
            assert_eq!(answer["error"], "NOT_FOUND", "{token} {below}");
        }
        let listed = good(ask(&harness, token, "GET", BATCHES)).await;
        assert_eq!(listed["items"], json!([]), "{token}");
    }
    let kept = good(ask(&harness, MEMBER, "GET", &path)).await;
    assert_eq!(kept["state"], "queued");
}

/// Requests that another site can have a browser send with the person's cookie: one for the body and one for
/// the page. The tests of `web` have the others.
#[rstest]
#[case::plain_text_that_speaks_of_a_table(&[("content-type", "text/plain; x=text/csv")], 415)]
#[case::foreign_origin(&[("content-type", "text/csv"), ("origin", "https://evil.example")], 403)]
#[tokio::test]
async fn a_forged_request_has_no_effect(#[case] headers: &[(&str, &str)], #[case] status: u16) {
    let harness = Harness::of_people().await;
    let query = format!("{BATCHES}?key_id={ACTIVE_KEY}");
    for path in [query, format!("{BATCHES}/{UNKNOWN}/import")] {
        let mut request = ask(&harness, MEMBER, "POST", &path).body(TABLE);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        assert_eq!(request.response().await.status(), status, "{path}");
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_foreign_page_reads_nothing() {
    let harness = Harness::of_people().await;
    let path = created(&harness).await;
    for (method, below) in BELOW {
        let request = ask(&harness, MEMBER, method, &format!("{path}{below}"));
        let answer = request
            .header("origin", "https://evil.example")
            .transcript()
            .await;
        assert!(answer.starts_with("403"), "{method} {below}: {answer}");
        assert!(!answer.contains("access-control"), "{answer}");
    }
}

#[rstest]
#[case::ours(OURS, "same-origin")]
#[case::allowed(ALLOWED, "cross-site")]
#[tokio::test]
async fn a_page_of_ours_or_an_allowed_one_is_served(#[case] origin: &str, #[case] from: &str) {
    let harness = Harness::of_people().await;
    let request = creating(&harness, MEMBER, &format!("?key_id={ACTIVE_KEY}"));
    let request = request
        .header("origin", origin)
        .header("sec-fetch-site", from);
    assert_eq!(request.response().await.status(), 202);
}

#[tokio::test]
async fn a_preflight_of_an_allowed_page_is_answered() {
    let harness = Harness::of_people().await;
    for (origin, status) in [(ALLOWED, 204), ("https://evil.example", 403)] {
        let request = harness.request("OPTIONS", BATCHES).header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        assert_eq!(request.response().await.status(), status, "{origin}");
    }
}

#[tokio::test]
async fn without_a_credential_both_are_named() {
    let harness = Harness::of_people().await;
    let bare = |method, path: &str| {
        let request = harness.request(method, path);
        let request = request.header("content-type", "text/csv");
        request.header("x-request-id", "test-1")
    };
    let expected = in_both_languages(|| bare("GET", BATCHES)).await;
    insta::assert_snapshot!("batches_without_a_credential", expected);
    for alias in ["", "/api"] {
        let path = format!("{alias}{BATCHES}");
        assert_eq!(in_both_languages(|| bare("POST", &path)).await, expected);
        for (method, below) in BELOW {
            let path = format!("{path}/{UNKNOWN}{below}");
            let answer = in_both_languages(|| bare(method, &path)).await;
            assert_eq!(answer, expected, "{method} {path}");
        }
    }
    assert!(harness.store_faults().calls().is_empty());
}

#[tokio::test]
async fn a_bad_session_is_told_to_sign_in() {
    let harness = Harness::of_people().await;
    let answer = ask(&harness, "nonsense", "GET", BATCHES);
    let answer = answer.json_of(401).await;
    assert_eq!(answer["error"], "UNAUTHENTICATED");
    assert_eq!(answer["details"]["sign_in"], "/login");
}

/// A key is looked at alone, so that no page can choose between the two.
#[tokio::test]
async fn a_session_beside_a_key_does_not_count() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", BATCHES).header("x-api-key", "nonsense");
    let answer = request.json_of(401).await;
    assert_eq!(answer["error"], "INVALID_API_KEY");
}

/// A proxy may ask for credentials of its own.
#[tokio::test]
async fn another_authorization_beside_a_session_does_not_count() {
    let harness = Harness::of_people().await;
    let request = ask(&harness, MEMBER, "GET", BATCHES).header("authorization", "Basic eDp5");
    assert_eq!(good(request).await["items"], json!([]));
}

#[tokio::test]
async fn a_gateway_without_sign_in_takes_keys_alone() {
    let harness = Harness::without_sign_in().await;
    let answer = ask(&harness, MEMBER, "GET", BATCHES).json_of(401).await;
    assert_eq!(answer["error"], "INVALID_API_KEY");
}
