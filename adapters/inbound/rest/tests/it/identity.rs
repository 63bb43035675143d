//! Authentication by API key, and the ids of requests.

use std::net::IpAddr;

use crate::data::GOOD_KEY;
use crate::harness::{Exchange, Harness, body, header};
use crate::people::with_json;

#[tokio::test]
async fn every_unauthenticated_request_gets_the_same_answer() {
    let harness = Harness::start().await;
    let post_to = |path: &str| with_json(harness.request("POST", path), body(&[]));
    let post = || post_to("/v1/cep/xml");
    let keyed_url = format!("/v1/cep/xml?x-api-key={GOOD_KEY}&api_key={GOOD_KEY}");
    let keyed_body = body(&[]).replace('}', &format!(",\"x-api-key\":\"{GOOD_KEY}\"}}"));
    let attempts = [
        post(),
        post().header("x-api-key", ""),
        post().header("x-api-key", "nonsense"),
        post().header("x-api-key", format!(" {GOOD_KEY}x")),
        post().header("x-api-key", &b"cep_\xff"[..]),
        post()
            .header("x-api-key", GOOD_KEY)
            .header("x-api-key", GOOD_KEY),
        post().header("x-api-key", format!("{GOOD_KEY}, {GOOD_KEY}")),
        post().header(
            "cookie",
            format!("x-api-key={GOOD_KEY}; session={GOOD_KEY}"),
        ),
        post().header("authorization", format!("Bearer {GOOD_KEY}")),
        post().body(keyed_body),
        post_to(&keyed_url),
    ];
    let mut answers = Vec::new();
    for attempt in attempts {
        answers.push(attempt.transcript().await);
    }
    assert!(answers[0].starts_with("401"));
    assert!(!answers[0].contains("ratelimit"));
    let are_alike = answers.iter().all(|answer| *answer == answers[0]);
    assert!(are_alike, "{answers:#?}");
    assert_eq!(harness.outcomes().await, []);
    assert_eq!(harness.bank().times_asked(), 0);
}

#[tokio::test]
async fn only_the_address_that_guesses_keys_is_held_back() {
    let harness = Harness::start().await;
    let ask = async |address: [u8; 4], key: &str| {
        let client = reqwest::Client::builder().no_proxy();
        let client = client.local_address(IpAddr::from(address)).build().unwrap();
        let request = client
            .post(format!("http://{}/v1/cep/xml", harness.address))
            .header("x-api-key", key)
            .header("content-type", "application/json")
            .body(body(&[]));
        request.response().await.status().as_u16()
    };
    let (guesser, other) = ([127, 0, 0, 2], [127, 0, 0, 3]);
    for number in 0..100 {
        let guess = format!("cep_test_guess{number:03}.000000000000000000000000");
        let expected = if number < 50 { 401 } else { 503 };
        assert_eq!(ask(guesser, &guess).await, expected, "{number}");
    }
    assert_eq!(ask(guesser, GOOD_KEY).await, 503);
    assert_eq!(ask(other, GOOD_KEY).await, 200);
}

#[tokio::test]
async fn a_sane_request_id_is_kept_and_any_other_replaced() {
    let harness = Harness::start().await;
    for path in ["/v1/cep/xml", "/healthz", "/nowhere"] {
        for (given, kept) in [
            (vec!["retry.2:a_b-c"], true),
            (vec![], false),
            (vec![""], false),
            (vec!["<script>"], false),
            (vec!["a", "b"], false),
        ] {
            let mut request = harness.unnamed("POST", path);
            for value in &given {
                request = request.header("x-request-id", *value);
            }
            let response = request.response().await;
            let id = header(&response, "x-request-id");
            if kept {
                assert_eq!(id, given[0]);
            } else {
                // 2026-11-20T12:00:00Z in milliseconds, then version 7
                assert!(id.starts_with("01a1f8d3-ea00-7"), "{path} {id}");
            }
        }
    }
}
