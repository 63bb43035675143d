//! Contract of the store of keys and samples of seals.

use chrono::{DateTime, TimeDelta, Utc};
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SEAL_BYTES, SealKey, SealKeyOrigin, SealedDigest, Signer};

use super::fixture::noon;
use super::ok;
use super::stores::{Pair, Stores};
use crate::outbound::{MAX_SAMPLES, SealSample, StoredSealKey};

cases! {
    $ seal_store(Pair)
    self::keys_are_listed_by_participant_certificate_and_time,
    self::a_key_is_added_once_for_its_signer,
    self::of_many_concurrent_additions_of_a_key_one_adds_it,
    self::a_use_of_a_known_key_is_recorded_to_the_day,
    self::samples_are_listed_by_participant_certificate_and_time,
    self::a_signer_has_a_bounded_number_of_samples_each_once,
    self::the_bound_holds_for_many_concurrent_samples,
    self::of_many_concurrent_additions_of_a_sample_one_adds_it,
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

async fn keys_are_listed_by_participant_certificate_and_time(Pair { here, .. }: Pair) {
    assert_eq!(here.seal_keys().await, []);
    let second = TimeDelta::seconds(1);
    let added = [
        (signer("40012", 2), key(1), noon()),
        (signer("40012", 1), key(2), noon() + second),
        (signer("40012", 1), key(3), noon()),
        (signer("2001", 9), key(4), noon()),
    ];
    for (signer, key, at) in &added {
        assert!(here.add_key(signer, key, *at).await);
    }
    let listed = here.seal_keys().await.into_iter();
    let listed = listed.map(|stored| (stored.signer, stored.key, stored.added_at));
    assert!(listed.eq(added.into_iter().rev()));
}

async fn a_key_is_added_once_for_its_signer(Pair { here, elsewhere }: Pair) {
    let (signer, key) = (signer("40012", 1), key_with(1, &[3]));
    let add = async |stores: &Stores, origin, at| {
        ok(stores.seals.add_seal_key(&signer, &key, origin, at)).await
    };
    assert!(add(&here, SealKeyOrigin::Recovered, noon()).await);
    let later = noon() + TimeDelta::days(1);
    assert!(!add(&elsewhere, SealKeyOrigin::Imported, later).await);
    let stored = StoredSealKey {
        signer: signer.clone(),
        key: key.clone(),
        origin: SealKeyOrigin::Recovered,
        added_at: noon(),
        first_used_at: None,
        last_used_at: None,
    };
    for stores in [&here, &elsewhere] {
        assert_eq!(stores.seal_keys().await, std::slice::from_ref(&stored));
    }
    for (signer, key) in [
        (signer.clone(), self::key(2)),
        (self::signer("40012", 2), key.clone()),
        (self::signer("40002", 1), key.clone()),
    ] {
        assert!(elsewhere.add_key(&signer, &key, noon()).await);
    }
    assert_eq!(here.seal_keys().await.len(), 4);
}

async fn of_many_concurrent_additions_of_a_key_one_adds_it(pair: Pair) {
    let (signer, key) = (signer("40012", 1), key(1));
    let add = async |stores: &Stores, _| stores.add_key(&signer, &key, noon()).await;
    assert_eq!(pair.succeeding(0..20, add).await, 1);
    assert_eq!(pair.here.seal_keys().await.len(), 1);
}

async fn a_use_of_a_known_key_is_recorded_to_the_day(Pair { here, elsewhere }: Pair) {
    let (signer, used, unused) = (signer("40012", 1), key(1), key(2));
    let day = TimeDelta::days(1);
    let moment = TimeDelta::milliseconds(1);
    here.add_key(&signer, &used, noon() - day).await;
    here.add_key(&signer, &unused, noon()).await;
    for (signer, key) in [
        (signer.clone(), key(3)),
        (self::signer("40012", 2), key(1)),
        (self::signer("40002", 1), key(1)),
    ] {
        elsewhere.use_key(&signer, &key, noon()).await;
    }
    let times = async || {
        let keys = here.seal_keys().await.into_iter();
        let times = keys.map(|key| (key.first_used_at, key.last_used_at));
        times.collect::<Vec<_>>()
    };
    assert_eq!(times().await, [(None, None); 2]);
    for (used_at, last_used_at) in [
        (noon(), noon()),
        (noon() + day, noon()),
        (noon() - day, noon()),
        (noon() + day + moment, noon() + day + moment),
    ] {
        elsewhere.use_key(&signer, &used, used_at).await;
        let expected = [(Some(noon()), Some(last_used_at)), (None, None)];
        assert_eq!(times().await, expected);
    }
}

async fn samples_are_listed_by_participant_certificate_and_time(Pair { here, elsewhere }: Pair) {
    assert_eq!(here.samples().await, []);
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
    let expected = added.map(|(sample, _)| sample).into_iter().rev();
    assert!(elsewhere.samples().await.into_iter().eq(expected));
}

async fn a_signer_has_a_bounded_number_of_samples_each_once(Pair { here, elsewhere }: Pair) {
    let (full, other) = (signer("40012", 1), signer("40012", 2));
    let first = sample(&full, 0);
    assert!(here.add_sample(&first, noon()).await);
    // Its digest is its identity: one text has one signature.
    let same_digest = SealSample {
        seal: [9; SEAL_BYTES],
        ..first.clone()
    };
    for known in [&first, &same_digest] {
        assert!(!elsewhere.add_sample(known, noon()).await);
    }
    for number in 1..10 {
        let added = here.add_sample(&sample(&full, number), noon()).await;
        assert_eq!(added, usize::from(number) < MAX_SAMPLES, "{number}");
    }
    assert!(elsewhere.add_sample(&sample(&other, 1), noon()).await);
    let samples = here.samples().await;
    assert_eq!(samples.len(), MAX_SAMPLES + 1);
    assert!(samples.contains(&first) && !samples.contains(&same_digest));
}

async fn the_bound_holds_for_many_concurrent_samples(pair: Pair) {
    let signer = signer("40012", 1);
    let add = async |stores: &Stores, number| {
        let sample = sample(&signer, number);
        stores.add_sample(&sample, noon()).await
    };
    assert_eq!(pair.succeeding(0..20, add).await, MAX_SAMPLES);
    assert_eq!(pair.here.samples().await.len(), MAX_SAMPLES);
}

async fn of_many_concurrent_additions_of_a_sample_one_adds_it(pair: Pair) {
    let sample = sample(&signer("40012", 1), 1);
    let add = async |stores: &Stores, _| stores.add_sample(&sample, noon()).await;
    assert_eq!(pair.succeeding(0..20, add).await, 1);
    assert_eq!(pair.here.samples().await, [sample]);
}
