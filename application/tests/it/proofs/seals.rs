//! Seals of fetched proofs: checked once each, and delivered with every answer.

use super::*;

#[tokio::test]
async fn a_seal_is_checked_once_for_a_proof_whatever_is_delivered_of_it() {
    let fixture = fixture();
    for wanted in [PDF, XML, BOTH, XML] {
        let delivery = fixture.delivery("10.00", wanted).await;
        assert_eq!(delivery.seal.verdict, VALID);
        assert_eq!(delivery.proof.centavos, 1_000);
        assert_eq!(delivery.issuer.number(), 40_012);
    }
    let once = [(Environment::Test, TRACKING_KEY.to_owned())];
    assert_eq!(fixture.seals.checked(), once);
    assert_eq!(fixture.seals.recorded(), once);
}

#[tokio::test]
async fn a_seal_is_checked_again_when_its_proof_is_fetched_again() {
    let fixture = fixture_caching(0);
    for _ in 0..2 {
        fixture.delivery("10.00", XML).await;
    }
    assert_eq!(fixture.seals.checked().len(), 2);
}

#[tokio::test]
async fn a_proof_that_is_not_the_one_asked_for_is_not_checked() {
    let fixture = fixture();
    fixture.error("404.00", XML).await;
    assert_eq!(fixture.seals.checked(), []);
    assert_eq!(fixture.seals.recorded(), []);
}
