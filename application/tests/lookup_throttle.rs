//! Cost of guessed keys to the store and to other callers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use domain::customer::Role;
use futures::future::join_all;
use ports::inbound::AdmissionError;
use support::fixture::{HERE, fixture};
use support::{limits, person};

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn unknown_key(number: usize) -> String {
    format!("cep_test_Guess{number:03}.0123456789abcdefghijABCD")
}

#[tokio::test]
async fn guessing_prefixes_costs_the_store_a_bounded_number_of_look_ups() {
    let fixture = fixture();
    let cached = fixture.holder(limits(100, None)).await;
    let fresh = fixture.holder(limits(100, None)).await;
    fixture.ask(&cached).await.unwrap();
    let before = fixture.store.look_ups();
    for number in 0..1_000 {
        let refusal = fixture.present(Some(&unknown_key(number)), HERE).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    assert_eq!(fixture.store.look_ups() - before, 50);
    fixture
        .ask(&cached)
        .await
        .expect("a key that is remembered");
    let secret = Some(fresh.secret.reveal());
    let elsewhere = fixture.present(secret, ELSEWHERE).await;
    elsewhere.expect("a key from an address that doesn't guess");
}

#[tokio::test]
async fn a_key_that_was_learned_at_the_start_is_good_while_others_guess_from_its_address() {
    let fixture = fixture();
    let holder = fixture.holder(limits(100, None)).await;
    fixture.gatekeeper.warm_up().await.unwrap();
    for number in 0..200 {
        let refusal = fixture.present(Some(&unknown_key(number)), HERE).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    fixture
        .present(Some(holder.secret.reveal()), HERE)
        .await
        .expect("a good key");
}

#[tokio::test]
async fn guesses_that_come_at_once_are_bounded_as_those_that_come_one_after_another() {
    let fixture = fixture();
    let before = fixture.store.look_ups();
    let guesses: Vec<_> = (0..1_000).map(unknown_key).collect();
    let refusals = guesses.iter().map(|key| fixture.present(Some(key), HERE));
    for refusal in join_all(refusals).await {
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    // Those that are being looked up aren't known to be guesses yet: 16 at a time.
    let looked_up = fixture.store.look_ups() - before;
    assert!((50..66).contains(&looked_up), "{looked_up}");
}

#[tokio::test]
async fn thousands_of_good_keys_behind_one_address_are_looked_up_at_once() {
    let fixture = fixture();
    let mut holders = Vec::new();
    // A customer has a thousand keys at most.
    for customer in ["ana", "luis"] {
        let customer = person(customer, Role::Admin);
        for _ in 0..1_000 {
            holders.push(fixture.holder_of(&customer, limits(10, None)).await);
        }
    }
    let askers = holders.iter().map(|holder| fixture.ask(holder));
    for admitted in join_all(askers).await {
        admitted.unwrap();
    }
    assert_eq!(fixture.store.look_ups(), 2_000);
}

#[tokio::test]
async fn a_burst_on_a_key_that_is_not_remembered_looks_it_up_once() {
    let fixture = fixture();
    let holder = fixture.holder(limits(1_000, None)).await;
    for admitted in join_all((0..100).map(|_| fixture.ask(&holder))).await {
        admitted.unwrap();
    }
    assert_eq!(fixture.store.look_ups(), 1);
}

#[tokio::test]
async fn while_all_addresses_guess_a_key_that_is_not_cached_is_not_called_invalid() {
    let fixture = fixture();
    let remembered = fixture.holder(limits(10, None)).await;
    let fresh = fixture.holder(limits(10, None)).await;
    fixture.ask(&remembered).await.unwrap();
    for number in 0..1_000 {
        let address = IpAddr::from([10, 0, 0, u8::try_from(number / 40).unwrap()]);
        let refusal = fixture.present(Some(&unknown_key(number)), address).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    let refusal = fixture.ask(&fresh).await.unwrap_err();
    assert!(
        matches!(refusal, AdmissionError::Unavailable { .. }),
        "{refusal:?}"
    );
    fixture.ask(&remembered).await.unwrap();
    fixture.clock.advance(Duration::from_millis(10));
    fixture.ask(&fresh).await.unwrap();
}

#[tokio::test]
async fn an_address_that_guessed_is_served_again_after_a_while() {
    let fixture = fixture();
    let holder = fixture.holder(limits(100, None)).await;
    for number in 0..60 {
        let _ = fixture.present(Some(&unknown_key(number)), HERE).await;
    }
    let refusal = fixture.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey));
    fixture.clock.advance(Duration::from_millis(200));
    fixture.ask(&holder).await.unwrap();
}
