//! Cost of guessed keys to the store and to other callers.

use std::net::{IpAddr, Ipv4Addr};

use crate::support::fixture::{Fixture, HERE, fixture, fixture_with};
use crate::support::{WatchedKeys, limits};
use application::{AdmissionError, ChangeFeed};
use futures::FutureExt;
use futures::future::join_all;

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn unknown_key(number: usize) -> String {
    format!("cep_test_G{number:07}.0123456789abcdefghijABCD")
}

impl Fixture {
    /// Presents so many unknown keys from one address, until nothing is looked up for it any more.
    async fn guess(&self, guesses: usize, address: IpAddr) {
        for number in 0..guesses {
            let refused = self.present(Some(&unknown_key(number)), address).await;
            let refusal = refused.unwrap_err();
            if number < 50 {
                assert!(matches!(refusal, AdmissionError::InvalidKey), "{refusal:?}");
            } else {
                assert_unchecked(&refusal);
            }
        }
    }
}

/// A fixture with a feed of changes, from whose address somebody guesses.
async fn start_guessed() -> (Fixture, ChangeFeed) {
    let fixture = fixture();
    let feed = fixture.change_feed().await;
    fixture.guess(200, HERE).await;
    (fixture, feed)
}

fn assert_unchecked(refusal: &AdmissionError) {
    let is_unchecked = matches!(refusal, AdmissionError::KeyUnchecked { .. });
    assert!(is_unchecked, "{refusal:?}");
}

#[tokio::test]
async fn guessing_prefixes_costs_the_store_a_bounded_number_of_look_ups() {
    let fixture = fixture();
    let cached = fixture.holder(limits(100, None)).await;
    let fresh = fixture.holder(limits(100, None)).await;
    fixture.ask(&cached).await.unwrap();
    let before = fixture.store.look_ups();
    fixture.limiter.faults().forget_calls();
    fixture.guess(100_000, HERE).await;
    assert_eq!(fixture.store.look_ups() - before, 50);
    // With replicas each call would be one of Redis.
    assert_eq!(fixture.limiter.faults().all_calls(), 0);
    let remembered = fixture.ask(&cached).await;
    remembered.expect("a key that is remembered");
    let secret = Some(fresh.secret.reveal());
    let elsewhere = fixture.present(secret, ELSEWHERE).await;
    elsewhere.expect("a key from an address that doesn't guess");
}

#[tokio::test]
async fn wrong_secrets_of_a_known_prefix_are_answered_as_unknown_prefixes_are() {
    let (fixture, holder) = fixture_with(limits(100, None)).await;
    fixture.ask(&holder).await.unwrap();
    let before = fixture.store.look_ups();
    let (prefix, _) = holder.secret.reveal().split_once('.').unwrap();
    let wrong = format!("{prefix}.0123456789abcdefghijABCD");
    for number in 0..100 {
        let known = fixture.present(Some(&wrong), HERE).await;
        let unknown = fixture.present(Some(&unknown_key(number)), HERE).await;
        let [known, unknown] =
            [known, unknown].map(|refused| format!("{:?}", refused.unwrap_err()));
        assert_eq!(known, unknown);
        let looked_up = fixture.store.look_ups() - before;
        assert_eq!(looked_up, 50.min(2 * number + 2), "both ask the store");
    }
    fixture.ask(&holder).await.unwrap();
}

#[tokio::test]
async fn a_key_that_was_learned_at_the_start_is_good_while_others_guess_from_its_address() {
    let (fixture, holder) = fixture_with(limits(100, None)).await;
    fixture.gatekeeper.warm_up().await.unwrap();
    fixture.guess(200, HERE).await;
    fixture.ask(&holder).await.expect("a good key");
}

#[tokio::test]
async fn a_key_that_is_created_while_others_guess_from_its_address_is_good_after_the_next_poll() {
    let (fixture, feed) = start_guessed().await;
    let holder = fixture.holder(limits(100, None)).await;
    feed.poll().await.unwrap();
    feed.stop();
    fixture.ask(&holder).await.expect("a good key");
}

#[tokio::test]
async fn a_new_key_that_comes_before_the_poll_waits_for_it_and_is_good() {
    let (fixture, feed) = start_guessed().await;
    feed.poll().await.unwrap();
    let holder = fixture.holder(limits(100, None)).await;
    let guess = unknown_key(0);
    let mut guessed = std::pin::pin!(fixture.present(Some(&guess), HERE));
    let mut asked = std::pin::pin!(fixture.ask(&holder));
    assert!(asked.as_mut().now_or_never().is_none());
    assert!(guessed.as_mut().now_or_never().is_none());
    feed.poll().await.unwrap();
    asked.await.expect("a good key");
    assert_unchecked(&guessed.await.unwrap_err());
}

#[tokio::test]
async fn a_poll_that_fails_keeps_nobody_waiting() {
    let (fixture, feed) = start_guessed().await;
    feed.poll().await.unwrap();
    let guess = unknown_key(0);
    let mut guessed = std::pin::pin!(fixture.present(Some(&guess), HERE));
    assert!(guessed.as_mut().now_or_never().is_none());
    fixture.store.go_down();
    feed.poll().await.unwrap_err();
    assert_unchecked(&guessed.await.unwrap_err());
}

#[tokio::test]
async fn guesses_that_come_at_once_are_bounded_as_those_that_come_one_after_another() {
    let fixture = fixture();
    let before = fixture.store.look_ups();
    let guesses: Vec<_> = (0..1_000).map(unknown_key).collect();
    let refusals = guesses.iter().map(|key| fixture.present(Some(key), HERE));
    let refusals = join_all(refusals).await;
    // Those that are being looked up aren't known to be guesses yet: 16 at a time.
    let looked_up = fixture.store.look_ups() - before;
    assert!((50..66).contains(&looked_up), "{looked_up}");
    let wrong = |refused: &&Result<_, _>| matches!(refused, Err(AdmissionError::InvalidKey));
    assert_eq!(refusals.iter().filter(wrong).count(), looked_up);
}

#[tokio::test]
async fn thousands_of_good_keys_behind_one_address_are_looked_up_at_once() {
    let fixture = fixture();
    let mut holders = Vec::new();
    for _ in 0..2_000 {
        holders.push(fixture.holder(limits(10, None)).await);
    }
    let askers = holders.iter().map(|holder| fixture.ask(holder));
    for admitted in join_all(askers).await {
        admitted.unwrap();
    }
    assert_eq!(fixture.store.look_ups(), 2_000);
}

#[tokio::test]
async fn a_burst_on_a_key_that_is_not_remembered_looks_it_up_once_and_remembers_it() {
    let (fixture, holder) = fixture_with(limits(1_000, None)).await;
    for admitted in join_all((0..100).map(|_| fixture.ask(&holder))).await {
        admitted.unwrap();
    }
    fixture.ask(&holder).await.unwrap();
    assert_eq!(fixture.store.look_ups(), 1);
}

#[tokio::test]
async fn while_all_addresses_guess_a_key_that_is_not_cached_is_not_called_invalid() {
    let fixture = fixture();
    let remembered = fixture.holder(limits(10, None)).await;
    let fresh = fixture.holder(limits(10, None)).await;
    fixture.ask(&remembered).await.unwrap();
    for host in 0..25 {
        fixture.guess(40, IpAddr::from([10, 0, 0, host])).await;
    }
    let Err(AdmissionError::KeyUnchecked { retry_after }) = fixture.ask(&fresh).await else {
        panic!("a look-up although everybody guesses");
    };
    fixture.ask(&remembered).await.unwrap();
    fixture.clock.advance(retry_after);
    fixture.ask(&fresh).await.unwrap();
}
