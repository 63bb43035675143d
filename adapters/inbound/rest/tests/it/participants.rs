//! The participants of SPEI, for everybody.

use crate::harness::{Harness, transcript};

async fn get(harness: &Harness, path: &str) -> reqwest::Response {
    let request = harness.request("GET", path);
    request
        .header("x-request-id", "test-1")
        .send()
        .await
        .unwrap()
}

async fn json(answer: reqwest::Response) -> serde_json::Value {
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// The codes of those on a day.
async fn codes(harness: &Harness, query: &str) -> Vec<String> {
    let answer = get(harness, &format!("/v1/participants{query}")).await;
    assert_eq!(answer.status(), 200);
    let list = json(answer).await;
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
    let alias = get(&harness, "/api/v1/participants").await;
    let list = json(alias).await;
    assert_eq!(
        (&list["fecha"], &list["as_of"]),
        (&"2026-11-20".into(), &"2026-09-11".into())
    );
    let nu = list["participants"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["code"] == "40638");
    insta::assert_snapshot!("one_participant", nu.unwrap());
}

#[tokio::test]
async fn who_has_the_list_is_told_that_it_has_not_changed() {
    let harness = Harness::start().await;
    let path = "/v1/participants?fecha=2026-11-20";
    let first = get(&harness, path).await;
    assert_eq!(first.headers()["cache-control"], "public, max-age=3600");
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    for known in [tag.clone(), format!("\"another\", W/{tag}"), "*".to_owned()] {
        let request = harness.request("GET", path).header("if-none-match", known);
        let request = request.header("x-request-id", "test-1");
        insta::assert_snapshot!(
            "not_modified",
            transcript(request.send().await.unwrap()).await
        );
    }
    let other_day = harness.request("GET", "/v1/participants?fecha=2026-08-04");
    let other_day = other_day.header("if-none-match", tag).send().await.unwrap();
    assert_eq!(other_day.status(), 200);
}

#[tokio::test]
async fn a_faulty_day_is_refused() {
    let harness = Harness::start().await;
    for (query, problem) in [
        ("fecha=20-11-2026", "malformed_date"),
        ("fecha=2003-12-31", "too_early"),
        ("fecha=2026-11-21", "in_future"),
        ("fecha=", "malformed_date"),
        ("date=2026-11-20", "unknown"),
        ("fecha=2026-11-20&fecha=2026-11-19", "duplicate"),
    ] {
        let answer = get(&harness, &format!("/v1/participants?{query}")).await;
        assert_eq!(answer.status(), 400, "{query}");
        let body = json(answer).await;
        assert_eq!(body["details"]["fields"][0]["problem"], problem, "{query}");
    }
}
