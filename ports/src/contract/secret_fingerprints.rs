//! Contract of the store of secrets' fingerprints.

use domain::key::{HashGeneration, SecretFingerprint};

use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::SecretCheck;

cases! {
    $ secret_fingerprints(Pair)
    self::the_first_secret_of_each_generation_is_known,
    self::no_secret_is_stored_beside_a_wrong_one,
    self::of_many_concurrent_secrets_one_is_the_first,
}

async fn recognise(stores: &Stores, secrets: &[(u16, u8)]) -> SecretCheck {
    let fingerprints = secrets.iter().map(|(generation, secret)| {
        (
            HashGeneration(*generation),
            SecretFingerprint([*secret; 32]),
        )
    });
    let fingerprints: Vec<_> = fingerprints.collect();
    ok(stores.secret_fingerprints.recognise(&fingerprints)).await
}

const fn other(generation: u16) -> SecretCheck {
    SecretCheck::Other(HashGeneration(generation))
}

async fn the_first_secret_of_each_generation_is_known(Pair { here, elsewhere }: Pair) {
    let largest = u16::MAX;
    let both = [(largest, 8), (1, 7)];
    assert_eq!(recognise(&here, &[(1, 7)]).await, SecretCheck::Same);
    assert_eq!(recognise(&elsewhere, &both).await, SecretCheck::Same);
    for stores in [&here, &elsewhere] {
        assert_eq!(recognise(stores, &[(1, 8)]).await, other(1));
        assert_eq!(recognise(stores, &[(largest, 7)]).await, other(largest));
        assert_eq!(recognise(stores, &both).await, SecretCheck::Same);
    }
}

async fn no_secret_is_stored_beside_a_wrong_one(Pair { here, elsewhere }: Pair) {
    assert_eq!(recognise(&here, &[(1, 7)]).await, SecretCheck::Same);
    for wrong in [[(2, 7), (1, 8)], [(1, 8), (2, 7)]] {
        assert_eq!(recognise(&here, &wrong).await, other(1));
    }
    assert_eq!(recognise(&elsewhere, &[(2, 9)]).await, SecretCheck::Same);
}

async fn of_many_concurrent_secrets_one_is_the_first(pair: Pair) {
    let is_first = async |stores: &Stores, secret| {
        recognise(stores, &[(1, secret)]).await == SecretCheck::Same
    };
    assert_eq!(pair.succeeding(0..20, is_first).await, 1);
}
