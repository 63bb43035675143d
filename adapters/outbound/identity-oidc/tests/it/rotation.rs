//! Cache of the provider's keys: rotation, unknown key ids, and the fetches that callers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::response::IntoResponse as _;
use futures::future::join_all;
use identity_oidc::Oidc;
use ports::outbound::{AccessToken, Claims, IdentityError, IdentityProvider as _, TokenError};
use serde_json::json;
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;

use crate::conditions::{in_time, is_invalid, wait_until};
use crate::sandbox_provider::{NONCE, Sandbox, grant, sign_in};
use crate::test_provider::{DISCOVERY, JWKS, TOKEN, TestProvider, all_keys};
use crate::token_builder::{FOREIGN_RSA, Signature, rsa_jwk};

/// Shortest time between two refreshes because of an unknown `kid`.
pub(crate) const COOL_DOWN: Duration = Duration::from_secs(10);

/// Verifies in a task of its own.
fn spawn_verify(oidc: &Arc<Oidc>, token: String) -> JoinHandle<Result<Claims, TokenError>> {
    let oidc = Arc::clone(oidc);
    tokio::spawn(async move { oidc.verify(&token).await })
}

/// Signs a person in, in a task of its own.
fn spawn_sign_in(oidc: &Arc<Oidc>) -> JoinHandle<Result<AccessToken, IdentityError>> {
    let oidc = Arc::clone(oidc);
    tokio::spawn(async move { sign_in(&oidc, "demo-member").await })
}

/// Holds key-set responses back until the gate is notified.
fn hold_keys_back(provider: &TestProvider) -> Arc<Notify> {
    let gate = Arc::new(Notify::new());
    let closed = Arc::clone(&gate);
    provider.respond_with(JWKS, move || {
        let gate = Arc::clone(&closed);
        async move {
            gate.notified().await;
            axum::Json(json!({ "keys": all_keys() })).into_response()
        }
    });
    gate
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_under_load_fails_no_request_and_costs_one_fetch() {
    const ROTATIONS: usize = 20;
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    let first = sign_in(&oidc, "demo-member").await.unwrap().token;
    let tokens = Arc::new(Mutex::new(vec![first]));
    let ended = Arc::new(AtomicBool::new(false));
    let verified = Arc::new(AtomicUsize::new(0));
    let load = (0..8).map(|_| {
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
    });
    let load: Vec<_> = load.collect();
    assert_eq!(sandbox.server.key_fetches(), 1);
    for rotation in 1..=ROTATIONS {
        sandbox.server.handle.rotate();
        sandbox.clock.advance(COOL_DOWN);
        let signed_in = sign_in(&oidc, "demo-admin").await.unwrap();
        tokens.lock().await.push(signed_in.token);
        let so_far = verified.load(Ordering::Relaxed);
        wait_until(|| verified.load(Ordering::Relaxed) > so_far + 16).await;
        assert_eq!(sandbox.server.key_fetches(), 1 + rotation);
    }
    ended.store(true, Ordering::Relaxed);
    for worker in join_all(load).await {
        worker.unwrap();
    }
}

/// A provider whose second rotation the adapter doesn't know yet: the cool-down since the first one runs.
async fn rotated_twice() -> (Sandbox, Arc<Oidc>) {
    let sandbox = Sandbox::start().await;
    let oidc = sandbox.adapter();
    for _ in 0..2 {
        sign_in(&oidc, "demo-member").await.unwrap();
        sandbox.server.handle.rotate();
    }
    (sandbox, oidc)
}

#[tokio::test]
async fn a_sign_in_waits_out_the_cool_down() {
    let (sandbox, oidc) = rotated_twice().await;
    assert_eq!(sandbox.server.key_fetches(), 2);
    sandbox.clock.advance(Duration::from_millis(9_900));
    let started = Instant::now();
    let running = sandbox.clock.run();
    sign_in(&oidc, "demo-admin").await.unwrap();
    running.abort();
    assert_eq!(sandbox.server.key_fetches(), 3);
    assert!(started.elapsed() >= Duration::from_millis(99));
}

#[tokio::test]
async fn a_sign_in_ends_its_wait_although_the_clock_stands_still() {
    let (sandbox, oidc) = rotated_twice().await;
    sandbox.clock.advance(Duration::from_millis(9_900));
    in_time(sign_in(&oidc, "demo-member")).await.unwrap();
    assert_eq!(sandbox.server.key_fetches(), 3);
}

#[tokio::test]
async fn sign_ins_that_wait_share_one_fetch() {
    let (sandbox, oidc) = rotated_twice().await;
    sandbox.clock.advance(Duration::from_millis(9_500));
    let waiting = (0..5).map(|_| spawn_sign_in(&oidc));
    for signed_in in in_time(join_all(waiting)).await {
        signed_in.unwrap().unwrap();
    }
    assert_eq!(sandbox.server.key_fetches(), 3);
}

#[tokio::test]
async fn sign_ins_that_wait_for_a_provider_that_is_down_cost_one_fetch() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    oidc.verify(&provider.access_token().sign()).await.unwrap();
    let unknown = provider.access_token().header("kid", json!("new"));
    assert!(is_invalid(&oidc.verify(&unknown.sign()).await));
    provider.respond_status(JWKS, 503, "");
    let id = provider.id_token(NONCE).header("kid", json!("new"));
    let response = json!({
        "access_token": unknown.sign(),
        "token_type": "Bearer",
        "id_token": id.sign(),
    });
    provider.respond_json(TOKEN, response);
    clock.advance(Duration::from_millis(9_500));
    let waiting = (0..5).map(|_| {
        let oidc = Arc::clone(&oidc);
        tokio::spawn(async move { oidc.redeem(&grant("a-code")).await.err() })
    });
    for error in in_time(join_all(waiting)).await {
        let error = error.unwrap();
        assert!(matches!(error, Some(IdentityError::Unavailable(_))));
    }
    assert_eq!(provider.fetches(), 3);
}

#[tokio::test]
async fn an_unknown_key_is_fetched_once_the_cool_down_is_over() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    provider.publish(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let token = provider.access_token().sign();
    for fetches in [1, 2, 2] {
        assert!(is_invalid(&oidc.verify(&token).await));
        assert_eq!(provider.fetches(), fetches);
    }
    provider.publish(&all_keys());
    clock.advance(Duration::from_millis(9_999));
    assert!(is_invalid(&oidc.verify(&token).await));
    clock.advance(Duration::from_millis(1));
    oidc.verify(&token).await.unwrap();
    assert_eq!(provider.fetches(), 3);
}

#[tokio::test]
async fn a_key_that_is_being_fetched_is_waited_for() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    provider.publish(&[rsa_jwk(&FOREIGN_RSA, "old")]);
    let old = provider.access_token().header("kid", json!("old"));
    let old = old.signed_by(Signature::Foreign).sign();
    oidc.verify(&old).await.unwrap();
    let gate = hold_keys_back(&provider);
    let new = provider.access_token().sign();
    let first = spawn_verify(&oidc, new.clone());
    wait_until(|| provider.fetches() == 2).await;
    let second = spawn_verify(&oidc, new);
    // Known keys don't wait.
    oidc.verify(&old).await.unwrap();
    gate.notify_one();
    for verified in [first, second] {
        verified.await.unwrap().unwrap();
    }
    assert_eq!(provider.fetches(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_unknown_keys_costs_one_fetch_in_ten_seconds() {
    let (provider, clock, oidc) = TestProvider::start_with_adapter().await;
    oidc.verify(&provider.access_token().sign()).await.unwrap();
    assert_eq!(provider.fetches(), 1);
    for window in 1..=3 {
        let flood = (0..300).map(|number| {
            let kid = json!(format!("kid-{number}"));
            let token = provider.access_token().header("kid", kid);
            spawn_verify(&oidc, token.sign())
        });
        for verified in join_all(flood).await {
            assert!(is_invalid(&verified.unwrap()));
        }
        assert_eq!(provider.fetches(), 1 + window);
        clock.advance(COOL_DOWN);
    }
}

#[tokio::test]
async fn a_caller_that_hangs_up_causes_no_other_fetch() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    oidc.verify(&provider.access_token().sign()).await.unwrap();
    let gate = hold_keys_back(&provider);
    for number in 0..50 {
        let kid = json!(format!("kid-{number}"));
        let token = provider.access_token().header("kid", kid).sign();
        let impatient = spawn_verify(&oidc, token);
        wait_until(|| provider.fetches() == 2).await;
        tokio::task::yield_now().await;
        impatient.abort();
    }
    gate.notify_one();
    let another = provider.access_token().header("kid", json!("another"));
    assert!(is_invalid(&oidc.verify(&another.sign()).await));
    assert_eq!(provider.fetches(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_callers_share_one_fetch() {
    let (provider, _, oidc) = TestProvider::start_with_adapter().await;
    let token = provider.access_token().sign();
    let callers = (0..200).map(|_| spawn_verify(&oidc, token.clone()));
    for verified in join_all(callers).await {
        verified.unwrap().unwrap();
    }
    assert_eq!(provider.fetches(), 1);
    assert_eq!(provider.requests(DISCOVERY).len(), 1);
}
