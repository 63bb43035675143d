//! The participants of SPEI, for everybody.

use reqwest::RequestBuilder;

use crate::harness::{Exchange, Harness, faults, header};

fn get(harness: &Harness, query: &str) -> RequestBuilder {
    harness.request("GET", &format!("/v1/participants{query}"))
}

/// The codes of those on a day.
async fn codes(harness: &Harness, query: &str) -> Vec<String> {
    let list = get(harness, query).json_of(200).await;
    let participants = list["participants"].as_array().unwrap().iter();
    let codes = participants.map(|one| one["code"].as_str().unwrap().to_owned());
    codes.collect()
}

#[tokio::test]
async fn the_participants_of_a_day_are_listed_without_a_key() {
    let harness = Harness::start().await;
    let today = codes(&harness, "").await;
    assert!(today.len() > 90);
    assert!(today.contains(&"40638".to_owned()) && !today.contains(&"90638".to_owned()));
    let earlier = codes(&harness, "?fecha=2026-08-04").await;
    assert!(earlier.contains(&"90638".to_owned()) && !earlier.contains(&"40638".to_owned()));
    let list = harness.request("GET", "/api/v1/participants");
    let list = list.json_of(200).await;
    assert_eq!(list["fecha"], "2026-11-20");
    assert_eq!(list["as_of"], "2026-09-11");
    let mut participants = list["participants"].as_array().unwrap().iter();
    let nu = participants.find(|one| one["code"] == "40638");
    insta::assert_snapshot!("one_participant", nu.unwrap());
}

#[tokio::test]
async fn who_has_the_list_is_told_that_it_has_not_changed() {
    let harness = Harness::start().await;
    let first = get(&harness, "?fecha=2026-11-20").response().await;
    assert_eq!(header(&first, "cache-control"), "public, max-age=3600");
    let tag = header(&first, "etag");
    for known in [tag, &format!("\"another\", W/{tag}"), "*"] {
        let request = get(&harness, "?fecha=2026-11-20").header("if-none-match", known);
        insta::assert_snapshot!("not_modified", request.transcript().await);
    }
    let other_day = get(&harness, "?fecha=2026-08-04").header("if-none-match", tag);
    assert_eq!(other_day.response().await.status(), 200);
}

#[tokio::test]
async fn a_faulty_day_is_refused() {
    let harness = Harness::start().await;
    for (query, field, problem) in [
        ("?fecha=20-11-2026", "fecha", "malformed_date"),
        ("?fecha=2003-12-31", "fecha", "too_early"),
        ("?fecha=2026-11-21", "fecha", "in_future"),
        ("?fecha=", "fecha", "malformed_date"),
        ("?date=2026-11-20", "date", "unknown"),
        ("?fecha=2026-11-20&fecha=2026-11-19", "fecha", "duplicate"),
    ] {
        let refusal = get(&harness, query).json_of(400).await;
        assert_eq!(faults(&refusal), [(field, problem)], "{query}");
    }
}
