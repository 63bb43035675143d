//! Several processes that share what they know of the provider's keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use identity_oidc::Oidc;
use ports::outbound::{
    Claims, IdentityProvider as _, ProviderKeyCache as _, TokenError, Turn, Want,
};
use rstest::rstest;
use serde_json::json;
use tokio::sync::Mutex;

use crate::clock::TestClock;
use crate::fleet::{Broken, Cache, Fleet};
use crate::provider::{JWKS, TestProvider, adapter_of_many, all_keys};
use crate::rotation::{PAUSE, is_invalid, is_unavailable, until};
use crate::sandboxed::{Sandbox, sign_in};
use crate::signer::{FOREIGN_RSA, Signature, rsa_jwk};

fn verify_beside(
    oidc: &Arc<Oidc>,
    token: String,
) -> tokio::task::JoinHandle<Result<Claims, TokenError>> {
    let oidc = Arc::clone(oidc);
    tokio::spawn(async move { oidc.verify(&token).await })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_unknown_keys_on_all_of_them_costs_one_fetch_in_ten_seconds() {
    let fleet = Fleet::new().await;
    let processes = [fleet.process(), fleet.process(), fleet.process()];
    let good = fleet.provider.draft().token();
    for oidc in &processes {
        oidc.verify(&good).await.unwrap();
    }
    assert_eq!(fleet.provider.fetches(), 1);
    for window in 1..=3 {
        let flood = (0..300).map(|number| {
            let token = fleet.token_of(&format!("kid-{number}"));
            verify_beside(&processes[number % 3], token)
        });
        for verdict in join_all(flood).await {
            assert!(is_invalid(&verdict.unwrap()));
        }
        assert_eq!(fleet.provider.fetches(), 1 + window);
        fleet.clock.advance(PAUSE);
    }
    for oidc in &processes {
        oidc.verify(&good).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_under_load_on_all_of_them_fails_nobody_and_costs_one_fetch() {
    const ROTATIONS: usize = 10;
    let sandbox = Sandbox::start().await;
    let cache = Cache::new(&sandbox.clock);
    let process = || adapter_of_many(sandbox.config(), cache.clone(), &sandbox.clock);
    let processes = [process(), process()];
    let first = sign_in(&processes[0], "demo-member").await.unwrap().token;
    let tokens = Arc::new(Mutex::new(vec![first]));
    let (ended, verified) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let load: Vec<_> = (0..8)
        .map(|worker| {
            let (oidc, tokens) = (Arc::clone(&processes[worker % 2]), Arc::clone(&tokens));
            let (ended, verified) = (Arc::clone(&ended), Arc::clone(&verified));
            tokio::spawn(async move {
                while !ended.load(Ordering::Relaxed) {
                    let tokens = tokens.lock().await.clone();
                    for token in [tokens.first(), tokens.last()].into_iter().flatten() {
                        oidc.verify(token).await.unwrap();
                        verified.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    // A process that looked a moment too early looks again, once its clock has moved.
    let running = sandbox.clock.run();
    for rotation in 1..=ROTATIONS {
        sandbox.handle.rotate();
        sandbox.clock.advance(PAUSE);
        // Signed in at one, known to both from then on.
        let signed_in = sign_in(&processes[rotation % 2], "demo-admin").await;
        tokens.lock().await.push(signed_in.unwrap().token);
        let so_far = verified.load(Ordering::Relaxed);
        until(|| verified.load(Ordering::Relaxed) > so_far + 32).await;
        assert_eq!(sandbox.fetches(), 1 + rotation);
    }
    ended.store(true, Ordering::Relaxed);
    for worker in join_all(load).await {
        worker.unwrap();
    }
    running.abort();
}

#[tokio::test]
async fn a_key_that_one_of_them_fetched_is_good_at_the_others_within_the_pause() {
    let fleet = Fleet::new().await;
    let (one, another) = (fleet.process(), fleet.process());
    fleet.provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let old = fleet.provider.draft().header("kid", json!("old"));
    let old = old.signed(Signature::Foreign).token();
    for oidc in [&one, &another] {
        oidc.verify(&old).await.unwrap();
    }
    fleet.provider.publishes(&all_keys());
    for oidc in [&one, &another] {
        oidc.verify(&fleet.provider.draft().token()).await.unwrap();
    }
    assert_eq!(fleet.provider.fetches(), 2);
    assert!(is_invalid(&another.verify(&old).await));
}

#[tokio::test]
async fn a_key_that_was_asked_for_too_early_is_asked_for_again() {
    let fleet = Fleet::new().await;
    let (one, another) = (fleet.process(), fleet.process());
    fleet.provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    assert!(is_invalid(&one.verify(&fleet.token_of("no such")).await));
    // Both have looked, and the provider rotates only now.
    assert!(is_invalid(
        &another.verify(&fleet.token_of("no such")).await
    ));
    assert_eq!(fleet.provider.fetches(), 2);
    fleet.provider.publishes(&all_keys());
    let new = fleet.provider.draft().token();
    assert!(is_invalid(&another.verify(&new).await));
    fleet.clock.advance(PAUSE);
    another.verify(&new).await.unwrap();
    one.verify(&new).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 3);
}

#[tokio::test]
async fn what_another_happens_to_fetch_within_the_pause_is_good_at_once() {
    let fleet = Fleet::new().await;
    let oidc = fleet.process();
    fleet.provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let new = fleet.provider.draft().token();
    for fetches in 1..=2 {
        assert!(is_invalid(&oidc.verify(&new).await));
        assert_eq!(fleet.provider.fetches(), fetches);
    }
    fleet.clock.advance(Duration::from_secs(1));
    assert!(is_invalid(&oidc.verify(&new).await));
    fleet
        .publish(&json!({ "keys": all_keys() }).to_string())
        .await;
    fleet.clock.advance(Duration::from_secs(1));
    oidc.verify(&new).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 2);
}

#[tokio::test]
async fn while_one_of_them_fetches_the_others_wait_for_it() {
    let fleet = Fleet::new().await;
    let (one, another) = (fleet.process(), fleet.process());
    fleet.provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let unknown = fleet.token_of("no such");
    for oidc in [&one, &another] {
        // Has keys, and the pause begins.
        assert!(is_invalid(&oidc.verify(&unknown).await));
    }
    fleet.clock.advance(PAUSE);
    let before = fleet.provider.fetches();
    let gate = fleet.holds_keys_back();
    let new = fleet.provider.draft().token();
    let first = verify_beside(&one, new.clone());
    until(|| fleet.provider.fetches() == before + 1).await;
    let looks = fleet.cache.looks();
    let second = verify_beside(&another, new);
    until(|| fleet.cache.looks() > looks).await;
    gate.notify_one();
    for verified in [first, second] {
        verified.await.unwrap().unwrap();
    }
    assert_eq!(fleet.provider.fetches(), before + 1);
}

#[tokio::test]
async fn a_process_that_is_gone_holds_the_others_up_for_no_longer_than_the_pause() {
    let fleet = Fleet::new().await;
    let oidc = fleet.process();
    oidc.verify(&fleet.provider.draft().token()).await.unwrap();
    fleet.take_turn(Want::Missing).await;
    let looks = fleet.cache.looks();
    let waiting = verify_beside(&oidc, fleet.token_of("no such"));
    until(|| fleet.cache.looks() > looks + 1).await;
    assert_eq!(fleet.provider.fetches(), 1);
    fleet.clock.advance(PAUSE);
    assert!(is_invalid(&waiting.await.unwrap()));
    assert_eq!(fleet.provider.fetches(), 2);
}

#[tokio::test]
async fn that_the_provider_is_down_is_known_to_all_of_them() {
    let fleet = Fleet::new().await;
    let (one, another) = (fleet.process(), fleet.process());
    let good = fleet.provider.draft().token();
    for oidc in [&one, &another] {
        oidc.verify(&good).await.unwrap();
    }
    fleet.provider.fails(JWKS, 503, "");
    let unknown = fleet.token_of("new");
    for oidc in [&one, &another, &one, &another] {
        assert!(is_unavailable(&oidc.verify(&unknown).await));
        oidc.verify(&good).await.unwrap();
    }
    assert_eq!(fleet.provider.fetches(), 2);
}

#[tokio::test]
async fn a_process_that_starts_while_the_provider_is_down_has_the_others_keys() {
    let fleet = Fleet::new().await;
    let good = fleet.provider.draft().token();
    let now = crate::provider::now();
    let lasting = fleet.provider.draft().claim("exp", json!(now + 864_000));
    let lasting = lasting.token();
    fleet.process().verify(&good).await.unwrap();
    fleet.provider.fails(JWKS, 503, "");
    fleet.clock.advance(Duration::from_hours(23));
    let late = fleet.process();
    late.verify(&lasting).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 2, "the provider was asked first");
    // But not for ever: a day is as old as they may get.
    fleet.clock.advance(Duration::from_hours(1));
    assert!(is_unavailable(&late.verify(&lasting).await));
    assert!(is_unavailable(&fleet.process().verify(&lasting).await));
}

#[tokio::test]
async fn keys_that_another_fetched_are_as_old_as_they_are() {
    let fleet = Fleet::new().await;
    let token = fleet.provider.draft().token();
    fleet.process().verify(&token).await.unwrap();
    fleet.clock.advance(Duration::from_mins(9));
    let late = fleet.process();
    late.verify(&token).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 1);
    fleet.clock.advance(Duration::from_mins(1));
    late.verify(&token).await.unwrap();
    until(|| fleet.provider.fetches() == 2).await;
}

#[rstest]
#[case::gibberish("<html>".to_owned())]
#[case::an_empty_set(r#"{"keys":[]}"#.to_owned())]
#[case::symmetric(r#"{"keys":[{"kty":"oct","kid":"rsa","k":"AAAA"}]}"#.to_owned())]
#[case::more_than_the_provider_may_send(
    json!({ "keys": all_keys(), "padding": "x".repeat(256 * 1024) }).to_string()
)]
#[tokio::test]
async fn what_the_provider_could_not_have_sent_is_not_taken_from_others(#[case] document: String) {
    let fleet = Fleet::new().await;
    fleet.publish(&document).await;
    let (oidc, token) = (fleet.process(), fleet.provider.draft().token());
    assert!(is_unavailable(&oidc.verify(&token).await));
    // Nobody was served by it, so the provider is asked as soon as after a failure.
    fleet.clock.advance(Duration::from_secs(1));
    oidc.verify(&token).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 1);
}

#[tokio::test]
async fn a_set_of_others_that_is_no_good_does_not_replace_a_good_one() {
    let fleet = Fleet::new().await;
    let (oidc, token) = (fleet.process(), fleet.provider.draft().token());
    oidc.verify(&token).await.unwrap();
    fleet.publish("<html>").await;
    assert!(is_invalid(&oidc.verify(&fleet.token_of("new")).await));
    oidc.verify(&token).await.unwrap();
    assert_eq!(fleet.provider.fetches(), 2);
}

#[rstest]
#[case::failing(Broken::Failing)]
#[case::silent(Broken::Silent)]
#[tokio::test]
async fn without_the_cache_each_is_by_itself(#[case] cache: Broken) {
    let provider = TestProvider::start().await;
    let clock = TestClock::new();
    let oidc = adapter_of_many(provider.config(), Arc::new(cache), &clock);
    provider.publishes(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let unknown = provider.draft().header("kid", json!("no such")).token();
    for _ in 0..20 {
        assert!(is_invalid(&oidc.verify(&unknown).await));
    }
    assert_eq!(provider.fetches(), 2, "the first, and one in ten seconds");
    provider.publishes(&all_keys());
    clock.advance(PAUSE);
    oidc.verify(&provider.draft().token()).await.unwrap();
    assert_eq!(provider.fetches(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_outlasts_what_another_asked_in_vain() {
    let sandbox = Sandbox::start().await;
    let cache = Cache::new(&sandbox.clock);
    let oidc = adapter_of_many(sandbox.config(), cache.clone(), &sandbox.clock);
    sign_in(&oidc, "demo-member").await.unwrap();
    let seen = cache.look(&sandbox.issuer, Turn(0)).await.unwrap().turn;
    let turn = cache.take_turn(&sandbox.issuer, seen, Want::Missing).await;
    let turn = turn.unwrap().unwrap();
    cache.give_up(&sandbox.issuer, turn).await.unwrap();
    sandbox.handle.rotate();
    let almost = PAUSE.saturating_sub(Duration::from_millis(300));
    sandbox.clock.advance(almost);
    let running = sandbox.clock.run();
    sign_in(&oidc, "demo-admin").await.unwrap();
    running.abort();
    assert_eq!(sandbox.fetches(), 2);
}
