//! Lists, reads, cancellation and removal of batches.

use std::time::Duration;

use serde_json::{Value, json};

use super::{BELOW, OTHERS_KEY, mixed, of_two_customers, table};
use crate::harness::{Exchange, Harness, header, json_of};

fn names(batches: &[Value]) -> Vec<&str> {
    let names = batches.iter().map(|batch| batch["name"].as_str());
    names.map(Option::unwrap).collect()
}

#[tokio::test]
async fn batches_are_listed_page_by_page_and_by_state() {
    let harness = Harness::start().await;
    let mut paths = Vec::new();
    let clock = &harness.gateway.services.clock;
    for name in ["a", "b", "c"] {
        let path = harness.new_batch(&format!("?name={name}"), mixed()).await;
        paths.push(path);
        clock.advance(Duration::from_millis(5));
    }
    let first = harness.batch("?limit=2").await;
    assert!(header(&first, "ratelimit").starts_with("\"minute\""));
    let first = json_of(first, 200).await;
    assert_eq!(names(first["items"].as_array().unwrap()), ["c", "b"]);
    assert_eq!(first["total"], Value::Null);
    let after = first["next"].as_str().unwrap();
    let second = format!("?limit=2&after={after}");
    let second = harness.json("GET", second, 200).await;
    assert_eq!(names(second["items"].as_array().unwrap()), ["a"]);
    assert_eq!(second["next"], Value::Null);
    let cancel = format!("{}/cancel", paths[1]);
    let canceled = harness.json("POST", cancel, 200).await;
    assert_eq!(canceled["state"], "canceled");
    assert_eq!(names(&harness.listed("?state=canceled").await), ["b"]);
    assert_eq!(names(&harness.listed("?state=queued").await), ["c", "a"]);
    for query in [
        "?state=lost",
        "?limit=0",
        "?limit=101",
        "?after=x",
        "?key=1",
    ] {
        let answer = harness.json("GET", query, 400).await;
        assert_eq!(answer["error"], "INVALID_REQUEST", "{query}");
    }
}

#[tokio::test]
async fn a_caller_who_waits_is_answered_once_the_state_changes() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let now = harness.json("GET", &path, 200).await;
    assert_eq!(now["state"], "queued");
    let wait = || harness.json("GET", format!("{path}?wait=25"), 200);
    // Nothing but this ends the wait: the time stands still.
    let cancel = harness.json("POST", format!("{path}/cancel"), 200);
    let (waited, canceled) = tokio::join!(wait(), cancel);
    assert_eq!(canceled["state"], "canceled");
    assert_eq!(waited["state"], "canceled");
    // It is final, so it changes no more.
    assert_eq!(wait().await["state"], "canceled");
    for query in ["?wait=26", "?wait=-1", "?wait=x", "?waits=1"] {
        let answer = harness.json("GET", format!("{path}{query}"), 400).await;
        assert_eq!(answer["error"], "INVALID_REQUEST", "{query}");
    }
}

#[tokio::test]
async fn nobody_sees_the_batches_of_another_customer() {
    let harness = of_two_customers().await;
    let path = harness.finished().await;
    for (method, below) in BELOW {
        let path = format!("/v1/cep/batches{path}{below}");
        let request = harness.keyed(OTHERS_KEY, method, &path);
        let request = request.header("content-type", "application/zip");
        let answer = request.json_of(404).await;
        assert_eq!(answer["error"], "NOT_FOUND", "{below}");
    }
    let others = harness.keyed(OTHERS_KEY, "GET", "/v1/cep/batches");
    assert_eq!(others.json_of(200).await["items"], json!([]));
}

#[tokio::test]
async fn a_batch_is_canceled_once_and_removed_after_its_end() {
    let harness = Harness::start().await;
    let path = harness.new_batch("", mixed()).await;
    let cancel = format!("{path}/cancel");
    let early = harness.json("DELETE", &path, 409).await;
    assert_eq!(early["error"], "CONFLICT");
    insta::assert_snapshot!("not_ended", early);
    let canceled = harness.batches("POST", &cancel).response().await;
    assert!(header(&canceled, "ratelimit").starts_with("\"minute\""));
    let canceled = json_of(canceled, 200).await;
    assert_eq!(canceled["state"], "canceled");
    assert_ne!(canceled["erase_at"], Value::Null);
    insta::assert_snapshot!("ended", harness.json("POST", &cancel, 409).await);
    let erased = harness.batches("DELETE", &path).response().await;
    assert!(header(&erased, "ratelimit").starts_with("\"minute\""));
    assert_eq!(erased.status(), 204);
    for below in ["", "/results", "/files.zip"] {
        let gone = harness.batch(format!("{path}{below}")).await;
        assert_eq!(gone.status(), 404, "{below}");
    }
    assert_eq!(harness.outcomes().await, [], "nothing was counted");
}

#[tokio::test]
async fn an_account_has_so_many_open_batches() {
    let harness = Harness::start().await;
    for number in 0..20 {
        let key = format!("MBAN{number}");
        harness.new_batch("", table(&[("", &key, "10.00")])).await;
    }
    let answer = harness.sending("", mixed()).json_of(409).await;
    insta::assert_snapshot!("too_many_open", answer);
}

#[tokio::test]
async fn a_head_has_the_headers_of_a_get() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    for below in ["", "/results", "/files.zip"] {
        let path = format!("{path}{below}");
        let get = harness.batch(&path).await;
        let head = harness.batches("HEAD", &path).response().await;
        assert_eq!(head.status(), 200, "{below}");
        for name in ["content-type", "content-disposition", "ratelimit-policy"] {
            assert_eq!(header(&head, name), header(&get, name), "{below} {name}");
        }
        assert_eq!(head.bytes().await.unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_row_is_a_lookup_of_its_batch() {
    let harness = Harness::start().await;
    let path = harness.finished().await;
    let id = path.trim_start_matches('/');
    let listed = json_of(harness.read(&format!("?batch_id={id}")).await, 200).await;
    let listed = listed["items"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    for lookup in listed {
        assert_eq!(lookup["batch_id"], id);
        let one = format!("/{}", lookup["id"].as_str().unwrap());
        let one = json_of(harness.read(&one).await, 200).await;
        let fetched = (one["state"] == "delivered").then_some("fetched");
        assert_eq!(one["origin"], json!(fetched));
    }
}
