//! Contract of the store of keys and samples of seals.

use chrono::{DateTime, TimeDelta, Utc};
use domain::participant::ParticipantCode;
use domain::seal::{CertificateNumber, SEAL_BYTES, SealKey, SealKeyOrigin, SealedDigest, Signer};

use super::fixture::noon;
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{MAX_SAMPLES, SealSample, StoredSealKey};

cases! {
    $ seal_store(Pair)
    self {
        nothing_is_stored_at_first,
        an_added_key_is_everybodys,
        keys_are_listed_by_participant_certificate_and_time,
        a_key_is_added_once_for_its_signer,
        of_many_concurrent_additions_of_a_key_one_adds_it,
        a_use_is_recorded_to_the_day,
        the_use_of_an_unknown_key_changes_nothing,
        samples_are_listed_by_participant_certificate_and_time,
        a_known_sample_is_not_added_again,
        a_signer_has_a_bounded_number_of_samples,
        the_bound_holds_for_many_concurrent_samples,
        of_many_concurrent_additions_of_a_sample_one_adds_it,
    }
}

fn signer(participant: &str, certificate: u8) -> Signer {
    Signer {
        participant: ParticipantCode::parse(participant).expect("a code"),
        certificate: CertificateNumber::parse(&format!("{certificate:020}")).expect("20 digits"),
    }
}

fn key(number: u8) -> SealKey {
    key_with(number, &[1, 0, 1])
}

fn key_with(number: u8, exponent: &[u8]) -> SealKey {
    let mut modulus = [0xff; SEAL_BYTES];
    modulus[1] = number;
    SealKey::new(&modulus, exponent).expect("a key")
}

fn sample(signer: &Signer, number: u8) -> SealSample {
    let mut digest = [0xab; 64];
    digest[63] = number;
    SealSample {
        signer: signer.clone(),
        digest: SealedDigest(digest),
        seal: [number; SEAL_BYTES],
    }
}

impl Stores {
    async fn add_key(&self, signer: &Signer, key: &SealKey, at: DateTime<Utc>) -> bool {
        let origin = SealKeyOrigin::Imported;
        ok(self.seals.add_seal_key(signer, key, origin, at)).await
    }

    async fn seal_keys(&self) -> Vec<StoredSealKey> {
        ok(self.seals.seal_keys()).await
    }

    async fn use_key(&self, signer: &Signer, key: &SealKey, at: DateTime<Utc>) {
        ok(self.seals.record_seal_use(signer, key, at)).await;
    }

    async fn add_sample(&self, sample: &SealSample, at: DateTime<Utc>) -> bool {
        ok(self.seals.add_seal_sample(sample, at)).await
    }

    async fn samples(&self) -> Vec<SealSample> {
        ok(self.seals.seal_samples()).await
    }
}

async fn nothing_is_stored_at_first(under_test: Pair) {
    let stores = under_test.here;
    assert_eq!(stores.seal_keys().await, []);
    assert_eq!(stores.samples().await, []);
}

async fn an_added_key_is_everybodys(Pair { here, elsewhere }: Pair) {
    let (signer, key) = (signer("40012", 1), key_with(1, &[3]));
    for (at, origin) in [
        (noon(), SealKeyOrigin::Recovered),
        (noon(), SealKeyOrigin::Imported),
    ] {
        let added = ok(here.seals.add_seal_key(&signer, &key, origin, at)).await;
        let is_first = origin == SealKeyOrigin::Recovered;
        assert_eq!(added, is_first);
    }
    let stored = StoredSealKey {
        signer,
        key,
        origin: SealKeyOrigin::Recovered,
        added_at: noon(),
        first_used_at: None,
        last_used_at: None,
    };
    for stores in [&here, &elsewhere] {
        assert_eq!(stores.seal_keys().await, std::slice::from_ref(&stored));
    }
}

async fn keys_are_listed_by_participant_certificate_and_time(under_test: Pair) {
    let stores = under_test.here;
    let second = TimeDelta::seconds(1);
    let added = [
        (signer("40012", 2), key(1), noon()),
        (signer("40012", 1), key(2), noon() + second),
        (signer("40012", 1), key(3), noon()),
        (signer("2001", 9), key(4), noon()),
    ];
    for (signer, key, at) in &added {
        assert!(stores.add_key(signer, key, *at).await);
    }
    let listed: Vec<_> = stores
        .seal_keys()
        .await
        .into_iter()
        .map(|stored| (stored.signer, stored.key, stored.added_at))
        .collect();
    let [fourth, third, second, first] = added;
    assert_eq!(listed, [first, second, third, fourth]);
}

async fn a_key_is_added_once_for_its_signer(Pair { here, elsewhere }: Pair) {
    let first = signer("40012", 1);
    assert!(here.add_key(&first, &key(1), noon()).await);
    let later = noon() + TimeDelta::days(1);
    assert!(!elsewhere.add_key(&first, &key(1), later).await);
    let others = [
        (first, key(2)),
        (signer("40012", 2), key(1)),
        (signer("40002", 1), key(1)),
    ];
    for (signer, key) in &others {
        assert!(elsewhere.add_key(signer, key, noon()).await);
    }
    let keys = here.seal_keys().await;
    assert_eq!(keys.len(), 4);
    assert!(keys.iter().all(|stored| stored.added_at == noon()));
}

async fn of_many_concurrent_additions_of_a_key_one_adds_it(pair: Pair) {
    let (signer, key) = (signer("40012", 1), key(1));
    let add = async |stores: &Stores, _| stores.add_key(&signer, &key, noon()).await;
    let added = pair.at_once(0..20, add).await;
    assert_eq!(added.iter().filter(|added| **added).count(), 1, "{added:?}");
    assert_eq!(pair.here.seal_keys().await.len(), 1);
}

async fn a_use_is_recorded_to_the_day(Pair { here, elsewhere }: Pair) {
    let (signer, used, unused) = (signer("40012", 1), key(1), key(2));
    let day = TimeDelta::days(1);
    let moment = TimeDelta::milliseconds(1);
    here.add_key(&signer, &used, noon() - day).await;
    here.add_key(&signer, &unused, noon()).await;
    for (used_at, last_used_at) in [
        (noon(), noon()),
        (noon() + day, noon()),
        (noon() - day, noon()),
        (noon() + day + moment, noon() + day + moment),
    ] {
        elsewhere.use_key(&signer, &used, used_at).await;
        let keys = here.seal_keys().await;
        let times = keys.iter().map(|key| (key.first_used_at, key.last_used_at));
        let times: Vec<_> = times.collect();
        assert_eq!(times, [(Some(noon()), Some(last_used_at)), (None, None)]);
    }
}

async fn the_use_of_an_unknown_key_changes_nothing(under_test: Pair) {
    let stores = under_test.here;
    let known = signer("40012", 1);
    stores.add_key(&known, &key(1), noon()).await;
    for (signer, key) in [
        (known, key(2)),
        (signer("40012", 2), key(1)),
        (signer("40002", 1), key(1)),
    ] {
        stores.use_key(&signer, &key, noon()).await;
    }
    let keys = stores.seal_keys().await;
    let uses: Vec<_> = keys.iter().map(|key| key.first_used_at).collect();
    assert_eq!(uses, [None]);
}

async fn samples_are_listed_by_participant_certificate_and_time(Pair { here, elsewhere }: Pair) {
    let second = TimeDelta::seconds(1);
    let added = [
        (sample(&signer("40012", 2), 1), noon()),
        (sample(&signer("40012", 1), 2), noon() + second),
        (sample(&signer("40012", 1), 1), noon()),
        (sample(&signer("2001", 9), 1), noon()),
    ];
    for (sample, at) in &added {
        assert!(here.add_sample(sample, *at).await);
    }
    let mut expected: Vec<_> = added.into_iter().map(|(sample, _)| sample).collect();
    expected.reverse();
    for stores in [&here, &elsewhere] {
        assert_eq!(stores.samples().await, expected);
    }
}

async fn a_known_sample_is_not_added_again(Pair { here, elsewhere }: Pair) {
    let signer = signer("40012", 1);
    let first = sample(&signer, 1);
    assert!(here.add_sample(&first, noon()).await);
    // Its digest is its identity: one text has one signature.
    let same_digest = SealSample {
        seal: [9; SEAL_BYTES],
        ..first.clone()
    };
    for known in [&first, &same_digest] {
        assert!(!elsewhere.add_sample(known, noon()).await);
    }
    assert!(elsewhere.add_sample(&sample(&signer, 2), noon()).await);
    assert_eq!(here.samples().await, [first, sample(&signer, 2)]);
}

async fn a_signer_has_a_bounded_number_of_samples(Pair { here, elsewhere }: Pair) {
    let (full, other) = (signer("40012", 1), signer("40012", 2));
    for number in 0..10 {
        let added = here.add_sample(&sample(&full, number), noon()).await;
        assert_eq!(added, usize::from(number) < MAX_SAMPLES, "{number}");
    }
    assert!(elsewhere.add_sample(&sample(&other, 1), noon()).await);
    assert_eq!(here.samples().await.len(), MAX_SAMPLES + 1);
}

async fn the_bound_holds_for_many_concurrent_samples(pair: Pair) {
    let signer = signer("40012", 1);
    let add = async |stores: &Stores, number| {
        let sample = sample(&signer, number);
        stores.add_sample(&sample, noon()).await
    };
    let added = pair.at_once(0..20, add).await;
    let count = added.iter().filter(|added| **added).count();
    assert_eq!(count, MAX_SAMPLES, "{added:?}");
    assert_eq!(pair.here.samples().await.len(), MAX_SAMPLES);
}

async fn of_many_concurrent_additions_of_a_sample_one_adds_it(pair: Pair) {
    let sample = sample(&signer("40012", 1), 1);
    let add = async |stores: &Stores, _| stores.add_sample(&sample, noon()).await;
    let added = pair.at_once(0..20, add).await;
    assert_eq!(added.iter().filter(|added| **added).count(), 1, "{added:?}");
    assert_eq!(pair.here.samples().await, [sample]);
}
