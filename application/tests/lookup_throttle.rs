//! What guessing keys costs the store, and what it costs others.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use domain::customer::Role;
use futures::future::join_all;
use ports::inbound::AdmissionError;
use support::house::{HERE, house};
use support::{limits, person};

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn unknown_key(number: usize) -> String {
    format!("cep_test_Guess{number:03}.0123456789abcdefghijABCD")
}

#[tokio::test]
async fn guessing_prefixes_costs_the_store_a_bounded_number_of_look_ups() {
    let house = house();
    let cached = house.holder(limits(100, None)).await;
    let fresh = house.holder(limits(100, None)).await;
    house.ask(&cached).await.unwrap();
    let before = house.store.look_ups();
    for number in 0..1_000 {
        let refusal = house.present(Some(&unknown_key(number)), HERE).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    assert_eq!(house.store.look_ups() - before, 50);
    house.ask(&cached).await.expect("a key that is remembered");
    let secret = Some(fresh.secret.reveal());
    let elsewhere = house.present(secret, ELSEWHERE).await;
    elsewhere.expect("a key from an address that doesn't guess");
}

#[tokio::test]
async fn a_key_that_was_learned_at_the_start_is_good_while_others_guess_from_its_address() {
    let house = house();
    let holder = house.holder(limits(100, None)).await;
    house.gatekeeper.learn_keys().await.unwrap();
    for number in 0..200 {
        let refusal = house.present(Some(&unknown_key(number)), HERE).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    house
        .present(Some(holder.secret.reveal()), HERE)
        .await
        .expect("a good key");
}

#[tokio::test]
async fn guesses_that_come_at_once_are_bounded_as_those_that_come_one_after_another() {
    let house = house();
    let before = house.store.look_ups();
    let lookup_throttle: Vec<_> = (0..1_000).map(unknown_key).collect();
    let lookup_throttle = lookup_throttle
        .iter()
        .map(|key| house.present(Some(key), HERE));
    for refusal in join_all(lookup_throttle).await {
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    // Those that are being looked up aren't known to be guesses yet: 16 at a time.
    let looked_up = house.store.look_ups() - before;
    assert!((50..66).contains(&looked_up), "{looked_up}");
}

#[tokio::test]
async fn thousands_of_good_keys_behind_one_address_are_looked_up_at_once() {
    let house = house();
    let mut holders = Vec::new();
    // A customer has a thousand keys at most.
    for customer in ["ana", "luis"] {
        let customer = person(customer, Role::Admin);
        for _ in 0..1_000 {
            holders.push(house.holder_of(&customer, limits(10, None)).await);
        }
    }
    let askers = holders.iter().map(|holder| house.ask(holder));
    for admitted in join_all(askers).await {
        admitted.unwrap();
    }
    assert_eq!(house.store.look_ups(), 2_000);
}

#[tokio::test]
async fn a_burst_on_a_key_that_is_not_remembered_looks_it_up_once() {
    let house = house();
    let holder = house.holder(limits(1_000, None)).await;
    for admitted in join_all((0..100).map(|_| house.ask(&holder))).await {
        admitted.unwrap();
    }
    assert_eq!(house.store.look_ups(), 1);
}

#[tokio::test]
async fn while_everybody_guesses_a_key_that_is_not_remembered_is_not_called_invalid() {
    let house = house();
    let remembered = house.holder(limits(10, None)).await;
    let fresh = house.holder(limits(10, None)).await;
    house.ask(&remembered).await.unwrap();
    for number in 0..1_000 {
        let address = IpAddr::from([10, 0, 0, u8::try_from(number / 40).unwrap()]);
        let refusal = house.present(Some(&unknown_key(number)), address).await;
        assert!(matches!(refusal, Err(AdmissionError::InvalidKey)));
    }
    let refusal = house.ask(&fresh).await.unwrap_err();
    assert!(
        matches!(refusal, AdmissionError::Unavailable { .. }),
        "{refusal:?}"
    );
    house.ask(&remembered).await.unwrap();
    house.clock.advance(Duration::from_millis(10));
    house.ask(&fresh).await.unwrap();
}

#[tokio::test]
async fn an_address_that_guessed_is_served_again_after_a_while() {
    let house = house();
    let holder = house.holder(limits(100, None)).await;
    for number in 0..60 {
        let _ = house.present(Some(&unknown_key(number)), HERE).await;
    }
    let refusal = house.ask(&holder).await.unwrap_err();
    assert!(matches!(refusal, AdmissionError::InvalidKey));
    house.clock.advance(Duration::from_millis(200));
    house.ask(&holder).await.unwrap();
}
