//! Contract of the store of secrets' fingerprints.

use domain::keys::{HashGeneration, SecretFingerprint};

use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{DatabaseSecret, SecretCheck};

cases! {
    $ secret_fingerprints(Pair)
    self::the_first_secret_of_each_generation_is_known,
    self::no_secret_is_stored_beside_a_wrong_one,
    self::of_many_concurrent_secrets_one_is_the_first,
    self::secrets_of_one_generation_are_known_apart_by_what_they_are_for,
}

async fn recognise(stores: &Stores, secrets: &[(u16, u8)]) -> SecretCheck {
    recognise_for(DatabaseSecret::Keys, stores, secrets).await
}

async fn recognise_for(
    secret: DatabaseSecret,
    stores: &Stores,
    secrets: &[(u16, u8)],
) -> SecretCheck {
    let fingerprints = secrets.iter().map(|(generation, secret)| {
        (
            HashGeneration(*generation),
            SecretFingerprint([*secret; 32]),
        )
    });
    let fingerprints: Vec<_> = fingerprints.collect();
    ok(stores.secret_fingerprints.recognise(secret, &fingerprints)).await
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

async fn secrets_of_one_generation_are_known_apart_by_what_they_are_for(
    Pair { here, elsewhere }: Pair,
) {
    use DatabaseSecret::{Content, Keys};
    let is_known =
        async |stores: &Stores, secret| ok(stores.secret_fingerprints.is_known(secret)).await;
    let largest = u16::MAX;
    for (known, (secret, byte)) in [(Keys, 7), (Content, 8)].into_iter().enumerate() {
        assert!(!is_known(&here, secret).await);
        let first = recognise_for(secret, &here, &[(1, byte), (largest, byte)]).await;
        assert_eq!(first, SecretCheck::Same);
        assert!(is_known(&elsewhere, secret).await);
        assert_eq!(is_known(&elsewhere, Content).await, known == 1);
    }
    for generation in [1, largest] {
        let again = recognise_for(Content, &elsewhere, &[(generation, 7)]).await;
        assert_eq!(again, other(generation));
    }
}
