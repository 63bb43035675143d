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

/// Date of the embedded list.
const LIST_DATE: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 11).unwrap();

fn clabe_prefix(prefix: &str, confidence: Confidence) -> Evidence {
    let prefix = prefix.to_owned();
    Evidence::ClabePrefix { prefix, confidence }
}

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

fn resolved(query: ProofQuery) -> Resolution {
    resolve(query, Catalogue::embedded())
}

fn refused(query: ProofQuery) -> Unresolved {
    resolved(query).transfer.unwrap_err()
}

#[test]
fn both_sides_are_inferred_with_their_evidence() {
    let Resolution { transfer, inferred } = resolved(query(KEY, CLABE, None, None));
    let transfer = transfer.unwrap();
    assert_eq!(transfer.issuer(), code("40012"));
    assert_eq!(transfer.receiver(), code("40014"));
    assert_eq!(
        inferred.issuer.unwrap().evidence,
        Evidence::TrackingKeyShape {
            bank: "BBVA Mexico",
            confidence: Confidence::High,
        }
    );
    assert_eq!(
        inferred.receiver.unwrap().evidence,
        clabe_prefix("014", Confidence::High)
    );
}

#[test]
fn a_card_names_the_receiver() {
    let resolved = resolved(query("HSBC123456", CARD, None, None));
    let receiver = resolved.inferred.receiver.unwrap();
    assert_eq!(receiver.code, code("40012"));
    assert_eq!(receiver.evidence, Evidence::CardPrefix("415231".to_owned()));
}

#[test]
fn a_side_that_the_caller_named_is_not_inferred() {
    let both = resolved(query(KEY, CLABE, Some("40072"), Some("40021")));
    let transfer = both.transfer.unwrap();
    assert_eq!(transfer.issuer(), code("40072"));
    assert_eq!(transfer.receiver(), code("40021"));
    assert_eq!(both.inferred, InferredBanks::default());

    let one = resolved(query(KEY, CLABE, Some("40072"), None)).inferred;
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
    Some(InferenceFailure::UnknownClabePrefix { prefix: 999, list_date: LIST_DATE })
)]
#[case::receiver_by_card(
    KEY,
    "9999990000000000",
    None,
    Some(InferenceFailure::UnknownCardPrefix)
)]
#[case::receiver_by_phone(KEY, "5512345678", None, Some(InferenceFailure::PhoneAccount))]
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
    let Resolution { transfer, inferred } = resolved(query(key, account, None, None));
    assert_eq!(inferred.issuer.is_some(), issuer.is_none());
    assert_eq!(inferred.receiver.is_some(), receiver.is_none());
    let failed = Unresolved::InferenceFailed { issuer, receiver };
    assert_eq!(transfer, Err(failed));
}

#[rstest]
#[case::before_it_was_listed("2026-10-01", Confidence::Medium)]
#[case::long_before("2019-01-01", Confidence::Medium)]
#[case::since("2026-10-06", Confidence::High)]
fn a_newcomer_is_inferred_for_days_before_it_was_listed_with_less_confidence(
    #[case] date: &str,
    #[case] confidence: Confidence,
) {
    let date = crate::calendar::parse_date(date).unwrap();
    let account = Account::parse("171180000000000008").unwrap();
    let inferred = infer_receiver(&account, date, Catalogue::embedded()).unwrap();
    assert_eq!(inferred.code, code("40171"));
    assert_eq!(inferred.evidence, clabe_prefix("171", confidence));
}

#[test]
fn a_prefix_that_is_newer_than_the_list_needs_the_receiver_alone() {
    let named = resolved(query(KEY, "846180000000000000", None, Some("90846")));
    assert_eq!(named.transfer.unwrap().receiver(), code("90846"));
}

#[test]
fn a_phone_number_needs_the_receiver_alone() {
    let named = resolved(query(KEY, "5512345678", None, Some("40021")));
    assert_eq!(named.transfer.unwrap().receiver(), code("40021"));
}

#[rstest]
#[case::both_inferred(None, None)]
#[case::one_inferred(Some("40012"), None)]
#[case::both_named(Some("40012"), Some("40012"))]
fn one_institution_on_both_sides_has_no_proof(
    #[case] issuer: Option<&str>,
    #[case] receiver: Option<&str>,
) {
    let same = SameInstitution {
        code: code("40012"),
    };
    let refused = refused(query(KEY, CARD, issuer, receiver));
    assert_eq!(refused, Unresolved::SameInstitution(same));
}

#[rstest]
#[case("90638", "40638")]
#[case("40638", "90638")]
fn two_codes_of_one_institution_are_the_same_institution(
    #[case] issuer: &str,
    #[case] receiver: &str,
) {
    let same = SameInstitution {
        code: code("40638"),
    };
    let refused = refused(query(KEY, CLABE, Some(issuer), Some(receiver)));
    assert_eq!(refused, Unresolved::SameInstitution(same));
}

#[test]
fn only_a_clabe_and_a_shape_of_one_bank_are_certain() {
    let shape = |confidence| Evidence::TrackingKeyShape {
        bank: "A",
        confidence,
    };
    for (evidence, source, confidence) in [
        (
            clabe_prefix("014", Confidence::High),
            "clabe_prefix",
            "high",
        ),
        (
            clabe_prefix("169", Confidence::Medium),
            "clabe_prefix",
            "medium",
        ),
        (
            Evidence::CardPrefix("415231".to_owned()),
            "card_prefix",
            "medium",
        ),
        (shape(Confidence::High), "tracking_key_shape", "high"),
        (shape(Confidence::Medium), "tracking_key_shape", "medium"),
    ] {
        let shown = (evidence.source(), evidence.confidence().name());
        assert_eq!(shown, (source, confidence));
    }
}

#[test]
fn the_kind_of_evidence_contains_no_digit() {
    let shape = |confidence| Evidence::TrackingKeyShape {
        bank: "1",
        confidence,
    };
    let kinds = [
        clabe_prefix("014", Confidence::High),
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

/// Tracking keys of public documentation and tests, whose issuers are known. A key of another bank
/// than the inferred one makes the portal find nothing, so none may be wrong; many are of shapes too
/// uncertain to be used.
#[test]
fn no_public_tracking_key_is_given_another_issuer() {
    let vectors = include_str!("../../data/tracking-key-vectors.csv");
    let (mut right, mut wrong, mut unknown) = (0, Vec::new(), 0);
    for row in csv::Reader::from_reader(vectors.as_bytes()).records() {
        let row = row.unwrap();
        let key = TrackingKey::parse(&row[0]).unwrap();
        let date = crate::calendar::parse_date(&row[1]).unwrap();
        match infer_issuer(&key, date, Catalogue::embedded()) {
            Ok(inferred) if inferred.code == code(&row[2]) => right += 1,
            Ok(inferred) => wrong.push((row[0].to_owned(), inferred.code)),
            Err(_) => unknown += 1,
        }
    }
    assert_eq!(wrong, [], "{right} right, {unknown} not inferred");
    assert_eq!((right, unknown), (7, 15));
}
