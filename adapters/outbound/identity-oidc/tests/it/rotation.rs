//! Keys that change, disappear, or can't be had.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use futures::future::join_all;
use identity_oidc::Oidc;
use ports::outbound::{IdentityError, IdentityProvider as _, TokenError};
use rstest::rstest;
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};

use crate::clock::TestClock;
use crate::provider::{DISCOVERY, JWKS, TestProvider, all_keys};
use crate::sandboxed::{Sandbox, sign_in, wish};
use crate::signer::{FOREIGN_RSA, Signature, rsa_jwk};

/// What lies between two fetches for an unknown `kid`.
pub(crate) const PAUSE: Duration = Duration::from_secs(10);

pub(crate) fn is_invalid<T>(verdict: &Result<T, TokenError>) -> bool {
    matches!(verdict, Err(TokenError::Invalid(_)))
}

pub(crate) fn is_unavailable<T>(verdict: &Result<T, TokenError>) -> bool {
    matches!(verdict, Err(TokenError::Unavailable(_)))
}

/// Waits until something that happens beside us has happened.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .expect("it happens");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_under_load_fails_nobody_and_costs_one_fetch() {
    const ROTATIONS: usize = 20;
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let first = sign_in(&oidc, "demo-member").await.unwrap().token;
    let tokens = Arc::new(Mutex::new(vec![first]));
    let (ended, verified) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let load: Vec<_> = (0..8)
        .map(|_| {
            let (oidc, tokens) = (Arc::clone(&oidc), Arc::clone(&tokens));
            let (ended, verified) = (Arc::clone(&ended), Arc::clone(&verified));
            tokio::spawn(async move {
                while !ended.load(Ordering::Relaxed) {
                    // The oldest as well as the newest.
                    let tokens = tokens.lock().await.clone();
                    for token in [tokens.first(), tokens.last()].into_iter().flatten() {
                        oidc.verify(token).await.unwrap();
                        verified.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    assert_eq!(sandbox.fetches(), 1);
    for rotation in 1..=ROTATIONS {
        sandbox.handle.rotate();
        sandbox.clock.advance(PAUSE);
        let signed_in = sign_in(&oidc, "demo-admin").await.unwrap();
        tokens.lock().await.push(signed_in.token);
        let so_far = verified.load(Ordering::Relaxed);
        until(|| verified.load(Ordering::Relaxed) > so_far + 16).await;
        assert_eq!(sandbox.fetches(), 1 + rotation);
    }
    ended.store(true, Ordering::Relaxed);
    for worker in join_all(load).await {
        worker.unwrap();
    }
}

#[tokio::test]
async fn a_sign_in_waits_for_keys_that_must_not_be_fetched_yet() {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    sign_in(&oidc, "demo-member").await.unwrap();
    sandbox.handle.rotate();
    sign_in(&oidc, "demo-member").await.unwrap();
    assert_eq!(sandbox.fetches(), 2);
    sandbox.handle.rotate();
    sandbox.clock.advance(Duration::from_millis(9_900));
    let started = Instant::now();
    let running = sandbox.clock.run();
    sign_in(&oidc, "demo-admin").await.unwrap();
    running.abort();
    assert_eq!(sandbox.fetches(), 3);
    assert!(started.elapsed() >= Duration::from_millis(99));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_unknown_keys_costs_one_fetch_in_ten_seconds() {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    oidc.verify(&provider.draft().token()).await.unwrap();
    assert_eq!(provider.fetches(), 1);
    for window in 1..=3 {
        let flood = (0..300).map(|number| {
            let token = provider
                .draft()
                .header("kid", json!(format!("kid-{number}")))
                .token();
            let oidc = Arc::clone(&oidc);
            tokio::spawn(async move { oidc.verify(&token).await })
        });
        for verdict in join_all(flood).await {
            assert!(is_invalid(&verdict.unwrap()));
        }
        assert_eq!(provider.fetches(), 1 + window);
        clock.advance(PAUSE);
    }
}

#[tokio::test]
async fn hanging_up_does_not_buy_another_fetch() {
    let provider = TestProvider::start().await;
    let oidc = provider.adapter(&TestClock::new());
    oidc.verify(&provider.draft().token()).await.unwrap();
    let gate = Arc::new(Notify::new());
    let closed = Arc::clone(&gate);
    provider.answers(JWKS, move || {
        let gate = Arc::clone(&closed);
        async move {
            gate.notified().await;
            axum::Json(json!({ "keys": all_keys() })).into_response()
        }
    });
    for number in 0..50 {
        let kid = json!(format!("kid-{number}"));
        let token = provider.draft().header("kid", kid).token();
        let other = Arc::clone(&oidc);
        let impatient = tokio::spawn(async move { other.verify(&token).await.is_ok() });
        until(|| provider.fetches() == 2).await;
        tokio::task::yield_now().await;
        impatient.abort();
    }
    gate.notify_one();
    let verdict = oidc
        .verify(&provider.draft().header("kid", json!("another")).token())
        .await;
    assert!(is_invalid(&verdict));
    assert_eq!(provider.fetches(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_who_come_first_share_one_fetch() {
    let provider = TestProvider::start().await;
    let oidc = provider.adapter(&TestClock::new());
    let token = provider.draft().token();
    let crowd = (0..200).map(|_| {
        let (oidc, token) = (Arc::clone(&oidc), token.clone());
        tokio::spawn(async move { oidc.verify(&token).await })
    });
    for verdict in join_all(crowd).await {
        verdict.unwrap().unwrap();
    }
    assert_eq!(provider.fetches(), 1);
    assert_eq!(provider.asked(DISCOVERY).len(), 1);
}

#[tokio::test]
async fn keys_are_fetched_anew_beside_their_use_after_ten_minutes() {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    let token = provider.draft().token();
    oidc.verify(&token).await.unwrap();
    clock.advance(Duration::from_mins(10) - Duration::from_millis(1));
    oidc.verify(&token).await.unwrap();
    assert_eq!(provider.fetches(), 1);
    // The key is withdrawn: the fetch that this begins will tell.
    provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "another")]);
    clock.advance(Duration::from_millis(1));
    oidc.verify(&token).await.unwrap();
    until(|| provider.fetches() == 2).await;
    let withdrawn = async {
        while oidc.verify(&token).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), withdrawn)
        .await
        .unwrap();
}

#[tokio::test]
async fn after_an_idle_night_a_withdrawn_key_is_good_for_nothing() {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    let token = provider
        .draft()
        .claim("exp", json!(crate::provider::now() + 86_400))
        .token();
    oidc.verify(&token).await.unwrap();
    provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "another")]);
    clock.advance(Duration::from_hours(8));
    assert!(is_invalid(&oidc.verify(&token).await));
}

#[rstest]
#[case::failing(500, "")]
#[case::gone(404, "")]
#[case::moved(302, "")]
#[case::gibberish(200, "<html>")]
#[case::no_set(200, r#"{"issuer":"x"}"#)]
#[case::an_empty_set(200, r#"{"keys":[]}"#)]
#[case::symmetric(200, r#"{"keys":[{"kty":"oct","kid":"rsa","k":"AAAA"}]}"#)]
#[tokio::test]
async fn a_set_that_is_no_good_does_not_replace_a_good_one_for_a_day(
    #[case] status: u16,
    #[case] body: &'static str,
) {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    let token = provider
        .draft()
        .claim("exp", json!(crate::provider::now() + 864_000))
        .token();
    oidc.verify(&token).await.unwrap();
    provider.fails(JWKS, status, body);
    // After 11 minutes, after 8 hours, and a second before a day is over.
    for later in [660, 28_140, 57_599] {
        clock.advance(Duration::from_secs(later));
        oidc.verify(&token).await.unwrap();
        until(|| provider.fetches() > 1).await;
    }
    clock.advance(Duration::from_secs(1));
    assert!(is_unavailable(&oidc.verify(&token).await));
    // It is back.
    provider.publishes(&all_keys());
    clock.advance(PAUSE);
    oidc.verify(&token).await.unwrap();
}

#[tokio::test]
async fn whether_an_unknown_key_is_the_providers_is_open_while_it_is_down() {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    oidc.verify(&provider.draft().token()).await.unwrap();
    provider.fails(JWKS, 503, "");
    let unknown = provider.draft().header("kid", json!("new")).token();
    assert!(is_unavailable(&oidc.verify(&unknown).await));
    assert!(is_unavailable(&oidc.verify(&unknown).await));
    assert_eq!(provider.fetches(), 2);
    oidc.verify(&provider.draft().token()).await.unwrap();
}

#[tokio::test]
async fn a_provider_that_is_down_at_the_start_is_asked_again() {
    let provider = TestProvider::start().await;
    provider.answers(DISCOVERY, || async {
        StatusCode::BAD_GATEWAY.into_response()
    });
    let clock = TestClock::new();
    let oidc = provider.adapter(&clock);
    let token = provider.draft().token();
    for _ in 0..20 {
        assert!(is_unavailable(&oidc.verify(&token).await));
        let address = oidc.authorization_url(&wish()).await;
        assert!(matches!(address, Err(IdentityError::Unavailable(_))));
    }
    assert_eq!(provider.asked(DISCOVERY).len(), 1);
    provider.says(DISCOVERY, provider.document());
    clock.advance(Duration::from_secs(1));
    oidc.authorization_url(&wish()).await.unwrap();
    oidc.verify(&token).await.unwrap();
}

async fn adapter_with(keys: &[Value]) -> (TestProvider, Arc<Oidc>) {
    let provider = TestProvider::start().await;
    provider.publishes(keys);
    let oidc = provider.adapter(&TestClock::new());
    (provider, oidc)
}

#[tokio::test]
async fn an_only_key_needs_no_name() {
    let mut nameless = all_keys()[0].clone();
    nameless.as_object_mut().unwrap().remove("kid");
    for key in [nameless, all_keys()[0].clone()] {
        let (provider, oidc) = adapter_with(&[key]).await;
        let token = provider.draft().header("kid", Value::Null).token();
        oidc.verify(&token).await.unwrap();
    }
}

#[tokio::test]
async fn a_nameless_key_that_changed_is_fetched() {
    let (provider, oidc) = adapter_with(&[rsa_jwk(&FOREIGN_RSA, "old")]).await;
    let draft = provider.draft().header("kid", Value::Null);
    oidc.verify(&draft.clone().signed(Signature::Foreign).token())
        .await
        .unwrap();
    provider.publishes(&all_keys()[..1]);
    oidc.verify(&draft.token()).await.unwrap();
    assert_eq!(provider.fetches(), 2);
}

#[rstest]
#[case::for_encryption("use", json!("enc"))]
#[case::for_signing_only("key_ops", json!(["sign"]))]
#[case::for_another_algorithm("alg", json!("RS512"))]
#[case::for_hmac("alg", json!("HS256"))]
#[case::for_what_nobody_knows("alg", json!("XX1"))]
#[case::unreadable("n", json!("*"))]
#[case::of_another_kind("kty", json!("EC"))]
#[tokio::test]
async fn a_key_that_is_not_for_this_is_not_used(#[case] field: &str, #[case] value: Value) {
    let mut keys = all_keys();
    keys[0][field] = value;
    let (provider, oidc) = adapter_with(&keys).await;
    assert!(is_invalid(&oidc.verify(&provider.draft().token()).await));
    // Its neighbours are none the worse.
    let neighbour = provider
        .draft()
        .header("kid", json!("p256"))
        .header("alg", json!("ES256"));
    let neighbour = neighbour.signed(Signature::Es256).token();
    oidc.verify(&neighbour).await.unwrap();
}

#[rstest]
#[case("alg", json!("RS256"))]
#[case("key_ops", json!(["verify"]))]
#[case("x5c", json!(["unreadable"]))]
#[tokio::test]
async fn a_key_may_say_that_it_is_for_this(#[case] field: &str, #[case] value: Value) {
    let mut keys = all_keys();
    keys[0][field] = value;
    let (provider, oidc) = adapter_with(&keys).await;
    oidc.verify(&provider.draft().token()).await.unwrap();
}

#[tokio::test]
async fn of_two_keys_with_one_name_the_right_one_is_found() {
    let keys = [rsa_jwk(&FOREIGN_RSA, "rsa"), all_keys()[0].clone()];
    let (provider, oidc) = adapter_with(&keys).await;
    oidc.verify(&provider.draft().token()).await.unwrap();
    oidc.verify(&provider.draft().signed(Signature::Foreign).token())
        .await
        .unwrap();
}
