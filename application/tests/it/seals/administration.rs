//! Administration: no key is stored that samples speak against, and none recovered without three.

use super::*;

#[tokio::test]
async fn an_imported_key_is_stored_once() {
    let (fixture, first, _) = start();
    let import = || async {
        let administration = &fixture.administration;
        administration.import(&first.signer, &first.key()).await
    };
    assert_eq!(import().await.unwrap(), 0);
    let again = import().await.unwrap_err();
    assert!(matches!(again, SealImportError::Known), "{again}");
    assert_eq!(fixture.origins().await, [SealKeyOrigin::Imported]);
}

#[tokio::test]
async fn an_import_is_compared_with_the_samples_of_its_certificate() {
    let (fixture, first, second) = start();
    fixture.add_samples(&first, &[1, 2]).await;
    let administration = &fixture.administration;
    let wrong = administration.import(&first.signer, &second.key()).await;
    assert!(matches!(
        wrong,
        Err(SealImportError::Another { samples: 2 })
    ));
    assert_eq!(administration.keys().await.unwrap(), []);
    let right = administration.import(&first.signer, &first.key()).await;
    assert_eq!(right.unwrap(), 2);
    let other = administration.import(&second.signer, &second.key()).await;
    assert_eq!(other.unwrap(), 0);
}

#[tokio::test]
async fn the_sandboxs_key_is_never_stored() {
    let fixture = Fixture::new();
    let (first, sandbox) = (Institution::first(), Institution::sandbox());
    let administration = &fixture.administration;
    for signer in [&first.signer, &sandbox.signer] {
        let refused = administration.import(signer, &sandbox.key()).await;
        let refused = refused.unwrap_err();
        assert!(matches!(refused, SealImportError::Published), "{refused}");
    }
    fixture.add_samples(&sandbox, &[1, 2, 3]).await;
    let (signer, key) = (&sandbox.signer, sandbox.key());
    let refused = administration.add_recovered(signer, &key).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, SealImportError::Published), "{refused}");
    assert_eq!(administration.keys().await.unwrap(), []);
}

/// The samples that confirm a key that wasn't stored, and all of its certificate.
fn unconfirmed(refused: &SealImportError) -> (usize, usize) {
    let SealImportError::Unconfirmed {
        confirming,
        samples,
    } = refused
    else {
        panic!("{refused}");
    };
    (*confirming, *samples)
}

#[tokio::test]
async fn a_recovered_key_is_stored_when_three_samples_confirm_it() {
    let (fixture, first, second) = start();
    let administration = &fixture.administration;
    let recover = |key| administration.add_recovered(&first.signer, key);
    fixture.add_samples(&first, &[1, 2]).await;
    fixture.add_samples(&second, &[1, 2, 3]).await;
    let (right, wrong) = (first.key(), second.key());
    let early = recover(&right).await.unwrap_err();
    assert_eq!(unconfirmed(&early), (2, 2));
    fixture.add_samples(&first, &[3]).await;
    let lie = recover(&wrong).await.unwrap_err();
    assert_eq!(unconfirmed(&lie), (0, 3));
    recover(&right).await.unwrap();
    assert_eq!(fixture.origins().await, [SealKeyOrigin::Recovered]);
}

#[tokio::test]
async fn certificates_with_samples_and_without_a_key_are_candidates() {
    let (fixture, first, second) = start();
    for number in 0..3 {
        fixture.record(LIVE, &first.proof(number)).await;
        fixture.record(LIVE, &second.proof(number)).await;
    }
    let administration = &fixture.administration;
    let candidates = administration.recovery_candidates().await.unwrap();
    let signers = candidates.iter().map(|it| (&it.signer, it.samples.len()));
    let expected = [(&second.signer, 3), (&first.signer, 3)];
    assert_eq!(signers.collect::<Vec<_>>(), expected);
    for institution in [&second, &first] {
        let (signer, key) = (&institution.signer, institution.key());
        administration.add_recovered(signer, &key).await.unwrap();
    }
    assert_eq!(administration.recovery_candidates().await.unwrap(), []);
}
