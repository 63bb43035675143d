//! Pages of transfers that a reference number finds.

use super::*;
use crate::account::Account;
use crate::amount::Amount;
use crate::criterion::ReferenceNumber;
use crate::participants::ParticipantCode;
use crate::proofs::candidate::{self, Candidate, CandidateError};
use crate::proofs::{Mismatch, Proof};
use crate::seals::SealVerdict;
use crate::transfer::Transfer;

/// The number that the page shows.
const REFERENCE: &str = "4900001";

fn context() -> ReadingContext {
    ReadingContext {
        environment: Environment::Live,
        today: today(),
    }
}

fn reference(text: &str) -> ReferenceNumber {
    ReferenceNumber::parse(text).unwrap()
}

/// The transfer of the page, found by this number.
fn asked(number: &str, centavos: u64) -> Transfer {
    let code = |text| ParticipantCode::parse(text).unwrap();
    Transfer::new(
        "2026-11-20".parse().unwrap(),
        reference(number),
        Account::parse("4111111111111111").unwrap(),
        Amount::from_centavos(centavos).unwrap(),
        code("40012"),
        xml_proof().receiver(),
    )
    .unwrap()
}

fn xml_proof() -> Proof {
    let report = page_report(&printed(&[]));
    report.proof.unwrap()
}

fn candidate(page: &PrintedPage, asked: &Transfer) -> Result<Candidate, CandidateError> {
    Candidate::of_pages(std::slice::from_ref(page), context(), asked, known)
}

#[test]
fn a_page_with_the_number_tells_key_hour_payer_and_seal() {
    let found = candidate(&printed(&[]), &asked(REFERENCE, 123_456)).unwrap();
    assert_eq!(found.tracking_key.as_str(), "PRUEBA0001");
    assert_eq!(found.credited_at.to_string(), "2026-11-20 18:02:30");
    assert_eq!(found.payer.as_deref(), Some("Ana Prueba"));
    assert_eq!(found.concept.as_deref(), Some("Pago de prueba"));
    assert_eq!((found.centavos, found.seal), (123_456, SealVerdict::Valid));
    assert!(!format!("{found:?}").contains("Ana"));
}

#[test]
fn a_page_of_another_transfer_or_of_nobody_is_no_candidate() {
    let of = |page: &PrintedPage, asked: &Transfer| candidate(page, asked).unwrap_err();
    let asked_for = asked(REFERENCE, 123_456);
    let whole = printed(&[]);
    assert_eq!(
        of(&whole, &asked("4900002", 123_456)),
        CandidateError::Reference
    );
    assert_eq!(
        of(&whole, &asked(REFERENCE, 123_457)),
        CandidateError::Transfer(Mismatch::Amount)
    );
    assert_eq!(
        of(&respelt(REFERENCE, "4900002"), &asked_for),
        CandidateError::Reference
    );
    assert_eq!(
        of(&without(REFERENCE), &asked_for),
        CandidateError::Reference
    );
    let renamed = respelt("Ana Prueba", "Eva Prueba");
    assert_eq!(of(&renamed, &asked_for), CandidateError::Page);
    let drawn = PrintedPage {
        drawing: Drawing::Other,
        ..printed(&[])
    };
    assert_eq!(of(&drawn, &asked_for), CandidateError::Reference);
    let by_key = Transfer::with_tracking_key(
        asked_for,
        crate::tracking_key::TrackingKey::parse("PRUEBA0001").unwrap(),
    );
    assert_eq!(of(&whole, &by_key), CandidateError::Reference);
    assert_eq!(of(&without(REFERENCE), &by_key), CandidateError::Reference);
}

#[test]
fn a_page_shows_the_proof_of_the_xml_or_another() {
    let pages = [printed(&[])];
    let proof = xml_proof();
    let show = |number, proof: &Proof| candidate::show(&pages, context(), reference(number), proof);
    assert_eq!(show(REFERENCE, &proof), Ok(()));
    assert_eq!(show("49", &proof), Err(CandidateError::Reference));
    let mut other = proof.clone();
    other
        .values
        .set(crate::proofs::ProofField::TrackingKey, None);
    assert_eq!(show(REFERENCE, &other), Err(CandidateError::OtherXml));
}
