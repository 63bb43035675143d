//! Verdicts: only with a key that counts in the environment.

use super::*;

const VALID: Verdict = Verdict::Valid(SealHash::Sha512);
const UNKNOWN: Verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);

#[tokio::test]
async fn a_seal_is_checked_once_its_key_is_known() {
    let (fixture, first, second) = start();
    assert_eq!(fixture.verdict(LIVE, &first.proof(1)), UNKNOWN);
    fixture.add_key(&first).await;
    for environment in [LIVE, TEST] {
        assert_eq!(fixture.verdict(environment, &first.proof(1)), VALID);
        assert_eq!(fixture.verdict(environment, &second.proof(1)), UNKNOWN);
    }
}

#[tokio::test]
async fn a_seal_of_another_text_key_or_certificate_is_invalid() {
    let (fixture, first, second) = start();
    fixture.add_key(&first).await;
    fixture.add_key(&second).await;
    for forged in [
        first.proof_with_wrong_seal(),
        first.proof_with_two_seals(),
        first.with_key_of(&second).proof(1),
    ] {
        assert_eq!(fixture.verdict(LIVE, &forged), Verdict::Invalid);
    }
}

#[tokio::test]
async fn a_key_counts_for_its_participant_and_certificate_alone() {
    let (fixture, first, _) = start();
    fixture.add_key(&first).await;
    let mut other_participant = first.clone();
    other_participant.signer.participant = Institution::second().signer.participant;
    let mut other_certificate = first;
    other_certificate.signer.certificate = Institution::second().signer.certificate;
    for other in [other_participant, other_certificate] {
        assert_eq!(fixture.verdict(LIVE, &other.proof(1)), UNKNOWN);
    }
}

#[tokio::test]
async fn a_seal_that_a_known_key_made_of_another_text_is_invalid_whichever_certificate_is_named() {
    let (fixture, first, second) = start();
    let nobodys = signer("40012", "00000999900000000099").certificate;
    let edited = first.proof_with("9.00", &nobodys);
    assert_eq!(fixture.verdict(LIVE, &edited), UNKNOWN);
    fixture.add_key(&first).await;
    for environment in [LIVE, TEST] {
        for amount in ["1234.56", "9.00"] {
            let edited = first.proof_with(amount, &nobodys);
            assert_eq!(fixture.verdict(environment, &edited), Verdict::Invalid);
            let unknown = second.proof_with(amount, &nobodys);
            assert_eq!(fixture.verdict(environment, &unknown), UNKNOWN);
        }
    }
}

#[tokio::test]
async fn the_sandboxs_seal_is_recognised_whichever_certificate_is_named() {
    let fixture = Fixture::new();
    let (first, sandbox) = (Institution::first(), Institution::sandbox());
    fixture.add_key(&first).await;
    let nobodys = signer("40012", "00000999900000000099").certificate;
    for certificate in [&nobodys, &first.signer.certificate] {
        for amount in ["1234.56", "9.00"] {
            let edited = sandbox.proof_with(amount, certificate);
            assert!(fixture.service.is_of_sandbox(&edited));
            for environment in [LIVE, TEST] {
                assert_eq!(fixture.verdict(environment, &edited), Verdict::Invalid);
            }
        }
    }
    let altered = sandbox.proof_with("9.00", &sandbox.signer.certificate);
    assert_eq!(fixture.verdict(LIVE, &altered), Verdict::Invalid);
    for of_sandbox in [&altered, &sandbox.proof(1)] {
        assert!(fixture.service.is_of_sandbox(of_sandbox));
        assert!(fixture.service.check(TEST, of_sandbox).by_sandbox);
    }
    for other in [first.proof(1), Institution::second().proof(1)] {
        assert!(!fixture.service.is_of_sandbox(&other));
        assert!(!fixture.service.check(TEST, &other).by_sandbox);
    }
}

#[tokio::test]
async fn the_sandboxs_key_counts_for_test_keys_alone() {
    let fixture = Fixture::new();
    let sandbox = Institution::sandbox();
    assert_eq!(fixture.verdict(TEST, &sandbox.proof(1)), VALID);
    let forged = sandbox.proof_with_wrong_seal();
    assert_eq!(fixture.verdict(TEST, &forged), Verdict::Invalid);
    assert_eq!(fixture.verdict(LIVE, &sandbox.proof(1)), UNKNOWN);
}

#[tokio::test]
async fn the_sandboxs_key_in_the_database_verifies_no_live_proof() {
    let fixture = Fixture::new();
    let disguised = Institution::first().with_key_of(&Institution::sandbox());
    for institution in [Institution::sandbox(), disguised] {
        fixture.add_key(&institution).await;
        assert_eq!(fixture.verdict(LIVE, &institution.proof(1)), UNKNOWN);
    }
}

#[test]
fn a_checked_seal_tells_its_signer_and_its_digest() {
    let (fixture, first, _) = start();
    let proof = first.proof(1);
    let checked = fixture.service.check(LIVE, &proof);
    assert_eq!(checked.signer, Some(first.signer.clone()));
    let digest = UncheckedSeal::of(&proof).unwrap().digest();
    assert_eq!(checked.digest, Some(digest));

    let unreadable = first.proof_with_unreadable_seal();
    let checked = fixture.service.check(LIVE, &unreadable);
    let verdict = Verdict::NotChecked(NotChecked::Unreadable);
    assert_eq!(checked.verdict, verdict);
    assert_eq!(checked.signer, Some(first.signer));
}

#[tokio::test]
async fn known_keys_outlive_an_outage_of_the_store_and_new_ones_follow_it() {
    let (fixture, first, second) = start();
    fixture.add_key(&first).await;
    fixture.store.faults().inject(Fault::Fails);
    fixture.service.refresh().await.unwrap_err();
    assert_eq!(fixture.verdict(LIVE, &first.proof(1)), VALID);
    fixture.store.faults().clear();
    let other_process = fixture.store.elsewhere();
    let (signer, key, now) = (&second.signer, second.key(), fixture.clock.now());
    let added = other_process.add_seal_key(signer, &key, SealKeyOrigin::Recovered, now);
    assert!(added.await.unwrap());
    fixture.service.refresh().await.unwrap();
    assert_eq!(fixture.verdict(LIVE, &second.proof(1)), VALID);
}
