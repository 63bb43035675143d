//! Records: of live proofs alone, and few calls of the store.

use std::time::Duration;

use super::*;

const DAY: Duration = Duration::from_hours(24);

#[tokio::test]
async fn live_proofs_of_an_unknown_certificate_become_samples_until_it_has_enough() {
    let (fixture, first, second) = start();
    let calls = || fixture.calls("add_seal_sample");
    for _ in 0..3 {
        fixture.record(LIVE, &first.proof(0)).await;
    }
    assert_eq!(calls(), 1);
    for number in 0..20 {
        fixture.record(LIVE, &first.proof(number)).await;
    }
    assert_eq!(calls(), MAX_SAMPLES);
    fixture.record(LIVE, &second.proof(1)).await;
    let samples = fixture.samples().await;
    let of_first = |sample: &&SealSample| sample.signer == first.signer;
    assert_eq!(samples.iter().filter(of_first).count(), MAX_SAMPLES);
    assert_eq!(samples.len(), MAX_SAMPLES + 1);
}

#[tokio::test]
async fn samples_of_another_process_are_found_in_as_few_calls() {
    let (fixture, first, _) = start();
    fixture.add_samples(&first, &[100, 101, 102, 103]).await;
    let before = fixture.calls("add_seal_sample");
    for number in 0..20 {
        fixture.record(LIVE, &first.proof(number)).await;
    }
    let calls = fixture.calls("add_seal_sample") - before;
    assert_eq!(calls, MAX_SAMPLES);
    assert_eq!(fixture.samples().await.len(), MAX_SAMPLES);
}

#[tokio::test]
async fn a_sample_that_was_not_stored_is_stored_later() {
    let fixture = Fixture::new();
    let proof = Institution::first().proof(1);
    let checked = fixture.service.check(LIVE, &proof);
    let faults = fixture.store.faults();
    faults.inject_into("add_seal_sample", Fault::Fails);
    let failed = fixture.service.try_record(LIVE, &proof, &checked).await;
    failed.unwrap_err();
    faults.clear();
    fixture.record(LIVE, &proof).await;
    assert_eq!(fixture.samples().await.len(), 1);
}

#[tokio::test]
async fn proofs_of_test_keys_are_never_recorded() {
    let (fixture, first, second) = start();
    fixture.add_key(&second).await;
    for institution in [first, second, Institution::sandbox()] {
        fixture.record(TEST, &institution.proof(1)).await;
    }
    assert_eq!(fixture.samples().await, []);
    assert_eq!(fixture.calls("record_seal_use"), 0);
}

#[tokio::test]
async fn only_a_readable_seal_becomes_a_sample_and_only_a_valid_one_is_a_use() {
    let (fixture, first, second) = start();
    fixture.add_key(&second).await;
    for proof in [
        first.proof_with_two_seals(),
        first.proof_with_unreadable_seal(),
        second.proof_with_wrong_seal(),
    ] {
        fixture.record(LIVE, &proof).await;
    }
    assert_eq!(fixture.calls("record_seal_use"), 0);
    fixture.record(LIVE, &second.proof(1)).await;
    assert_eq!(fixture.samples().await, []);
}

#[tokio::test]
async fn the_use_of_a_key_is_recorded_once_a_day() {
    let (fixture, first, _) = start();
    fixture.add_key(&first).await;
    let began = fixture.clock.now();
    let calls = || fixture.calls("record_seal_use");
    for _ in 0..3 {
        fixture.record(LIVE, &first.proof(1)).await;
    }
    assert_eq!(calls(), 1);
    fixture.clock.advance(DAY + Duration::from_millis(1));
    for _ in 0..3 {
        fixture.record(LIVE, &first.proof(1)).await;
    }
    assert_eq!(calls(), 2);
    let keys = fixture.administration.keys().await.unwrap();
    assert_eq!(keys[0].first_used_at, Some(began));
    assert_eq!(keys[0].last_used_at, Some(fixture.clock.now()));
}

#[tokio::test]
async fn any_of_a_certificates_keys_is_good_and_the_one_that_verified_is_used() {
    let (fixture, first, _) = start();
    let renewed = first.with_key_of(&Institution::second());
    fixture.add_key(&first).await;
    fixture.add_key(&renewed).await;
    for institution in [&first, &renewed] {
        let verdict = fixture.verdict(LIVE, &institution.proof(1));
        assert_eq!(verdict, Verdict::Valid(SealHash::Sha512));
    }
    fixture.record(LIVE, &renewed.proof(1)).await;
    for stored in fixture.administration.keys().await.unwrap() {
        let is_used = stored.first_used_at.is_some();
        assert_eq!(is_used, stored.key == renewed.key());
    }
}
