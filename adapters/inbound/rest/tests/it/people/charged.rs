//! Receipts, checks and lookups under a session, charged to a key that it names.

use domain::keys::KeyId;
use domain::outcome::{Endpoint, Outcome};
use reqwest::RequestBuilder;
use rest::Ending;
use rstest::rstest;

use super::data::{ACTIVE_KEY, MEMBER, unusable_keys};
use super::{ask, json as good, with_json};
use crate::data::{GOOD_KEY, id};
use crate::harness::{ALLOWED, Exchange, Harness, OURS, body, faults, header, json_of};

const RECEIPT: &str = "Monto: $1,234.56
Fecha: 20/11/2026
Cuenta destino: 002010077777777771
Clave de rastreo: MBAN01002611200001234567";

/// The paths that a session may post to beside batches, with a type and a body for each.
pub(super) fn charged() -> [(&'static str, &'static str, String); 3] {
    [
        (
            "/v1/cep/receipts",
            "application/octet-stream",
            RECEIPT.to_owned(),
        ),
        (
            "/v1/cep/verify",
            "application/octet-stream",
            "<otro/>".to_owned(),
        ),
        ("/v1/cep/lookups", "application/json", body(&[])),
    ]
}

/// A request of somebody's with a body, whose query names a key.
fn posted(harness: &Harness, token: &str, (path, media_type, body): &Post) -> RequestBuilder {
    let request = ask(harness, token, "POST", path);
    request
        .header("content-type", *media_type)
        .body(body.clone())
}

type Post = (String, &'static str, String);

/// The requests of [`charged`] with a query.
fn posts(query: &str) -> Vec<Post> {
    let posts = charged().into_iter();
    let posts = posts.map(|(path, media_type, body)| (format!("{path}{query}"), media_type, body));
    posts.collect()
}

#[tokio::test]
async fn what_a_session_asks_for_is_charged_to_the_key_that_it_names() {
    let harness = Harness::of_people().await;
    let query = format!("?key_id={ACTIVE_KEY}");
    let [receipt, check, lookup] = &*posts(&query) else {
        unreachable!("there are three")
    };
    let read = good(posted(&harness, MEMBER, receipt)).await;
    assert_eq!(read["tipo"], "receipt", "{read}");
    let checked = posted(&harness, MEMBER, check).json_of(400).await;
    assert_eq!(checked["details"]["reason"], "not_a_proof");
    let waiting = posted(&harness, MEMBER, lookup).header("prefer", "wait=0");
    let created = waiting.response().await;
    assert!(header(&created, "ratelimit").contains("minute"));
    let lookup = json_of(created, 202).await;
    assert_eq!(lookup["state"], "queued", "{lookup}");

    harness.gateway.lookups.worker.round().await.unwrap();
    harness.all_ended().await;
    let requests = harness.gateway.requests();
    let charged: Vec<_> = requests
        .iter()
        .map(|request| (request.key, request.endpoint, request.outcome))
        .collect();
    let key = KeyId(id(ACTIVE_KEY));
    assert_eq!(
        charged,
        [
            (key, Endpoint::Receipts, Outcome::ReceiptRead),
            (key, Endpoint::Verify, Outcome::InvalidRequest),
            (key, Endpoint::Lookups, Outcome::Delivered),
        ]
    );
}

#[tokio::test]
async fn only_a_usable_key_of_the_persons_own_account_is_charged() {
    let harness = Harness::of_people().await;
    let twice = format!("?key_id={ACTIVE_KEY}&key_id={ACTIVE_KEY}");
    let twice = (MEMBER, twice, "duplicate");
    for (token, query, problem) in unusable_keys().into_iter().chain([twice]) {
        for post in posts(&query) {
            let refused = posted(&harness, token, &post).json_of(400).await;
            assert_eq!(faults(&refused), [("key_id", problem)], "{post:?}");
        }
    }
    assert!(harness.gateway.requests().is_empty());
    assert!(harness.bank().asked().is_empty());
    let ended = harness.metrics_sink.ended.lock().unwrap();
    assert!(
        ended
            .iter()
            .all(|(_, ending)| *ending == Ending::SessionRefused)
    );
}

#[tokio::test]
async fn beside_an_api_key_no_other_one_is_named_and_no_session_counts() {
    let harness = Harness::start().await;
    for post in posts(&format!("?key_id={ACTIVE_KEY}")) {
        let keyed = posted(&harness, MEMBER, &post).header("x-api-key", GOOD_KEY);
        let refused = keyed.json_of(400).await;
        assert_eq!(faults(&refused), [("key_id", "excluded")], "{post:?}");
        let wrong = posted(&harness, MEMBER, &post).header("x-api-key", "nonsense");
        assert_eq!(wrong.json_of(401).await["error"], "INVALID_API_KEY");
    }
    let three = [Outcome::InvalidRequest; 3];
    assert_eq!(harness.outcomes().await, three);
}

#[tokio::test]
async fn a_request_without_a_credential_or_with_a_session_that_is_over_is_told_where_to_sign_in() {
    let harness = Harness::of_people().await;
    for post in posts(&format!("?key_id={ACTIVE_KEY}")) {
        let over = posted(&harness, "nonsense", &post).json_of(401).await;
        assert_eq!(over["error"], "UNAUTHENTICATED", "{post:?}");
        assert_eq!(over["details"]["sign_in"], "/login");
        let none = with_json(harness.request("POST", &post.0), post.2.clone());
        let none = none.json_of(401).await;
        assert_eq!(none["error"], "UNAUTHENTICATED", "{post:?}");
        assert!(none["message"].as_str().unwrap().contains("x-api-key"));
    }
    let alone = Harness::without_sign_in().await;
    for post in posts(&format!("?key_id={ACTIVE_KEY}")) {
        let answer = posted(&alone, MEMBER, &post).json_of(401).await;
        assert_eq!(answer["error"], "INVALID_API_KEY", "{post:?}");
    }
}

#[tokio::test]
async fn no_page_of_another_site_spends_a_persons_quota() {
    let harness = Harness::of_people().await;
    for post in posts(&format!("?key_id={ACTIVE_KEY}")) {
        let foreign = posted(&harness, MEMBER, &post).header("origin", "https://evil.example");
        let foreign = foreign.transcript().await;
        assert!(foreign.starts_with("403"), "{foreign}");
        assert!(!foreign.contains("access-control"), "{foreign}");
        let (path, _, body) = &post;
        for form in [
            "text/plain",
            "text/plain; x=application/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        ] {
            let request = ask(&harness, MEMBER, "POST", path).header("content-type", form);
            let refused = request.body(body.clone()).json_of(415).await;
            assert_eq!(refused["error"], "UNSUPPORTED_MEDIA_TYPE", "{path} {form}");
        }
        let bare = ask(&harness, MEMBER, "POST", path).body(body.clone());
        assert_eq!(bare.status().await, 415, "{path}");
    }
    assert!(harness.store_faults().calls().is_empty());
    assert!(harness.gateway.requests().is_empty());
}

#[rstest]
#[case::ours(OURS, "same-origin", "")]
#[case::allowed(ALLOWED, "cross-site", ALLOWED)]
#[tokio::test]
async fn a_page_of_ours_or_an_allowed_one_is_served(
    #[case] origin: &str,
    #[case] fetch_site: &str,
    #[case] shared_with: &str,
) {
    let harness = Harness::of_people().await;
    for post in posts(&format!("?key_id={ACTIVE_KEY}")) {
        let request = posted(&harness, MEMBER, &post).header("origin", origin);
        let answer = request.header("sec-fetch-site", fetch_site).response();
        let answer = answer.await;
        let shared = header(&answer, "access-control-allow-origin");
        assert_eq!(shared, shared_with, "{post:?}");
        assert_ne!(header(&answer, "ratelimit"), "", "{post:?} {answer:?}");
    }
    for (path, ..) in charged() {
        let preflight = harness.request("OPTIONS", path).header("origin", origin);
        let preflight = preflight.header("access-control-request-method", "POST");
        let preflight = preflight.response().await;
        let allowed = header(&preflight, "access-control-allow-origin");
        assert_eq!(allowed, shared_with, "{path}");
        let expected = if shared_with.is_empty() { 405 } else { 204 };
        assert_eq!(preflight.status(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_repeated_request_under_a_session_is_charged_once() {
    let harness = Harness::of_people().await;
    let [.., lookup] = &*posts(&format!("?key_id={ACTIVE_KEY}")) else {
        unreachable!("there are three")
    };
    let send = || {
        let request = posted(&harness, MEMBER, lookup);
        request.header("idempotency-key", "consulta-1").response()
    };
    let first = json_of(send().await, 202).await;
    let again = send().await;
    assert_eq!(header(&again, "idempotent-replayed"), "true");
    assert_eq!(json_of(again, 202).await["id"], first["id"]);
}

#[tokio::test]
async fn a_used_up_minute_of_the_named_key_is_told_with_its_limits() {
    let harness = Harness::of_people().await;
    let [receipt, ..] = &*posts(&format!("?key_id={ACTIVE_KEY}")) else {
        unreachable!("there are three")
    };
    let mut last = posted(&harness, MEMBER, receipt).response().await;
    for _ in 0..100 {
        if last.status() == 429 {
            break;
        }
        // A session may send fewer requests in a second than the key in a minute.
        let clock = &harness.gateway.services.clock;
        clock.advance(std::time::Duration::from_millis(100));
        last = posted(&harness, MEMBER, receipt).response().await;
    }
    assert_ne!(header(&last, "ratelimit"), "", "{last:?}");
    let refused = json_of(last, 429).await;
    assert_eq!(refused["error"], "RATE_LIMIT_EXCEEDED", "{refused}");
}
