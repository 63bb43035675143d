//! `/v1/cep/batches` under a session.

use reqwest::RequestBuilder;
use serde_json::json;

use super::data::{ACTIVE_KEY, ADMIN, MEMBER, OTHER_MEMBER, UNKNOWN, unusable_keys};
use super::{ask, json as good};
use crate::batches::{BELOW, unzipped};
use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, faults, header, json_lines, json_of};

pub(super) const BATCHES: &str = "/v1/cep/batches";
pub(super) const TABLE: &str = "fecha,clave_rastreo,cuenta,monto,emisor,receptor\n\
                     2026-11-20,MBAN01,002010077777777771,10.00,40012,40002\n\
                     2026-11-20,MBAN02,002010077777777771,11.00,40012,40002\n";

fn with_table(request: RequestBuilder) -> RequestBuilder {
    request.header("content-type", "text/csv").body(TABLE)
}

/// A request of somebody's to create a batch.
pub(super) fn creating(harness: &Harness, token: &str, query: &str) -> RequestBuilder {
    with_table(ask(harness, token, "POST", &format!("{BATCHES}{query}")))
}

/// The path of a new batch of the member's.
pub(super) async fn created(harness: &Harness) -> String {
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
    assert_eq!(preview["rows"], 2);
    assert_eq!(preview["ready"], 2);
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
        unzipped(files.response().await).await;
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

#[tokio::test]
async fn a_batch_is_charged_to_an_active_key_of_the_persons_own() {
    let harness = Harness::of_people().await;
    for (token, query, problem) in unusable_keys() {
        let refusal = refused(creating(&harness, token, &query)).await;
        assert_eq!(refusal, ("key_id".to_owned(), problem.to_owned()));
        let listed = good(ask(&harness, token, "GET", BATCHES)).await;
        assert_eq!(listed["items"], json!([]), "{query}");
    }
}

#[tokio::test]
async fn a_caller_with_a_key_names_no_other_one() {
    let harness = Harness::start().await;
    let path = format!("{BATCHES}?key_id={ACTIVE_KEY}");
    let refusal = refused(with_table(harness.keyed(GOOD_KEY, "POST", &path))).await;
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
