//! Completion of queries to transfers.

use rstest::rstest;

use super::*;
use crate::amount::Amount;

/// A CLABE of Santander.
const CLABE: &str = "014027000005555558";
/// A listed card of BBVA.
const CARD: &str = "4152310000000000";
/// BBVA's shape.
const KEY: &str = "MBAN01002611200012345678";

fn code(text: &str) -> ParticipantCode {
    ParticipantCode::parse(text).unwrap()
}

fn query(key: &str, account: &str, issuer: Option<&str>, receiver: Option<&str>) -> ProofQuery {
    ProofQuery {
        date: crate::calendar::parse_date("2026-11-20").unwrap(),
        tracking_key: TrackingKey::parse(key).unwrap(),
        account: Account::parse(account).unwrap(),
        amount: Amount::parse("100").unwrap(),
        issuer: issuer.map(code),
        receiver: receiver.map(code),
    }
}

fn resolved(query: ProofQuery) -> Result<Resolved, Unresolved> {
    resolve(query, Catalogue::embedded())
}

#[test]
fn both_sides_are_inferred_with_their_evidence() {
    let resolved = resolved(query(KEY, CLABE, None, None)).unwrap();
    assert_eq!(resolved.transfer.issuer(), code("40012"));
    assert_eq!(resolved.transfer.receiver(), code("40014"));
    assert_eq!(
        resolved.issuer.unwrap().evidence,
        Evidence::TrackingKeyShape {
            bank: "BBVA Mexico",
            confidence: Confidence::High,
        }
    );
    assert_eq!(
        resolved.receiver.unwrap().evidence,
        Evidence::ClabePrefix("014".to_owned())
    );
}

#[test]
fn a_card_names_the_receiver() {
    let resolved = resolved(query("HSBC123456", CARD, None, None)).unwrap();
    let receiver = resolved.receiver.unwrap();
    assert_eq!(receiver.code, code("40012"));
    assert_eq!(receiver.evidence, Evidence::CardPrefix("415231".to_owned()));
}

#[test]
fn a_side_that_the_caller_named_is_not_inferred() {
    let both = resolved(query(KEY, CLABE, Some("40072"), Some("40021"))).unwrap();
    assert_eq!(both.transfer.issuer(), code("40072"));
    assert_eq!(both.transfer.receiver(), code("40021"));
    assert_eq!((both.issuer, both.receiver), (None, None));

    let one = resolved(query(KEY, CLABE, Some("40072"), None)).unwrap();
    assert_eq!(one.issuer, None);
    assert!(one.receiver.is_some());
}

#[rstest]
#[case::issuer(
    "PAGO DE RENTA",
    CLABE,
    Some(InferenceFailure::UnknownTrackingKeyShape),
    None
)]
#[case::receiver_by_clabe(
    KEY,
    "999027000005555558",
    None,
    Some(InferenceFailure::UnknownClabePrefix)
)]
#[case::receiver_by_card(
    KEY,
    "9999990000000000",
    None,
    Some(InferenceFailure::UnknownCardPrefix)
)]
#[case::both(
    "PAGO DE RENTA",
    "9999990000000000",
    Some(InferenceFailure::UnknownTrackingKeyShape),
    Some(InferenceFailure::UnknownCardPrefix)
)]
fn a_failed_inference_is_reported_for_its_side(
    #[case] key: &str,
    #[case] account: &str,
    #[case] issuer: Option<InferenceFailure>,
    #[case] receiver: Option<InferenceFailure>,
) {
    let refused = resolved(query(key, account, None, None)).unwrap_err();
    assert_eq!(refused, Unresolved::InferenceFailed { issuer, receiver });
}

#[rstest]
#[case::both_inferred(None, None)]
#[case::one_inferred(Some("40012"), None)]
#[case::both_named(Some("40012"), Some("40012"))]
fn one_institution_on_both_sides_has_no_proof(
    #[case] issuer: Option<&str>,
    #[case] receiver: Option<&str>,
) {
    let refused = resolved(query(KEY, CARD, issuer, receiver)).unwrap_err();
    let same = SameInstitution {
        code: code("40012"),
    };
    assert_eq!(refused, Unresolved::SameInstitution(same));
}

#[test]
fn the_kind_of_evidence_contains_no_digit() {
    let shape = |confidence| Evidence::TrackingKeyShape {
        bank: "1",
        confidence,
    };
    let kinds = [
        Evidence::ClabePrefix("014".to_owned()),
        Evidence::CardPrefix("415231".to_owned()),
        shape(Confidence::High),
        shape(Confidence::Medium),
    ]
    .map(|evidence| evidence.kind());
    assert_eq!(
        kinds,
        [
            "clabe_prefix",
            "card_prefix",
            "tracking_key_shape:high",
            "tracking_key_shape:medium",
        ]
    );
}
