//! Completion of queries to transfers.

use rstest::rstest;

use super::*;
use crate::amount::Amount;
use crate::fixture::{code, day};
use crate::own_accounts::Destination;
use InferenceFailure::{
    PhoneAccount, UnknownCardPrefix, UnknownClabePrefix, UnknownTrackingKeyShape,
};

/// A CLABE of Santander.
const CLABE: &str = "014027000005555558";
/// A listed card of BBVA.
const CARD: &str = "4152310000000000";
/// BBVA's shape.
const KEY: &str = "MBAN01002611200012345678";

/// Date of the embedded list.
const LIST_DATE: NaiveDate = NaiveDate::from_ymd_opt(2026, 9, 11).unwrap();

const HIGH: Confidence = Confidence::High;
const MEDIUM: Confidence = Confidence::Medium;

fn clabe_prefix(prefix: &str, confidence: Confidence) -> Evidence {
    let prefix = prefix.to_owned();
    Evidence::ClabePrefix { prefix, confidence }
}

/// Of [`CARD`].
fn card_prefix() -> Evidence {
    Evidence::CardPrefix("415231".to_owned())
}

/// Of [`KEY`].
fn shape(confidence: Confidence) -> Evidence {
    let bank = "BBVA Mexico";
    Evidence::TrackingKeyShape { bank, confidence }
}

fn query(key: &str, account: &str, issuer: Option<&str>, receiver: Option<&str>) -> ProofQuery {
    ProofQuery {
        date: day("2026-11-20"),
        criterion: TrackingKey::parse(key).unwrap().into(),
        account: Account::parse(account).unwrap(),
        others: Vec::new(),
        completion: None,
        amount: Amount::parse("100").unwrap(),
        issuer: issuer.map(code),
        receiver: receiver.map(code),
    }
}

fn resolved(query: ProofQuery) -> Resolution {
    resolve(query, Catalogue::embedded())
}

#[test]
fn both_sides_are_inferred_with_their_evidence() {
    let Resolution { transfer, inferred } = resolved(query(KEY, CLABE, None, None));
    let transfer = transfer.unwrap();
    assert_eq!(transfer.issuer(), code("40012"));
    assert_eq!(transfer.receiver(), code("40014"));
    assert_eq!(inferred.issuer.unwrap().evidence, shape(HIGH));
    let receiver = inferred.receiver.unwrap();
    assert_eq!(receiver.evidence, clabe_prefix("014", HIGH));

    let by_card = resolved(query("HSBC123456", CARD, None, None)).inferred;
    let receiver = by_card.receiver.unwrap();
    let expected = (code("40012"), card_prefix());
    assert_eq!((receiver.code, receiver.evidence), expected);
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
#[case::issuer("PAGO DE RENTA", CLABE, Some(UnknownTrackingKeyShape), None)]
#[case::receiver_by_clabe(
    KEY,
    "999027000005555558",
    None,
    Some(UnknownClabePrefix { prefix: 999, list_date: LIST_DATE })
)]
#[case::receiver_by_card(KEY, "9999990000000000", None, Some(UnknownCardPrefix))]
#[case::receiver_by_phone(KEY, "5512345678", None, Some(PhoneAccount))]
#[case::both(
    "PAGO",
    "9999990000000000",
    Some(UnknownTrackingKeyShape),
    Some(UnknownCardPrefix)
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
#[case::before_it_was_listed("2026-10-01", MEDIUM)]
#[case::long_before("2019-01-01", MEDIUM)]
#[case::since("2026-10-06", HIGH)]
fn a_newcomer_is_inferred_for_days_before_it_was_listed_with_less_confidence(
    #[case] date: &str,
    #[case] confidence: Confidence,
) {
    let account = Account::parse("171180000000000008").unwrap();
    let inferred = infer_receiver(&account, day(date), Catalogue::embedded()).unwrap();
    assert_eq!(inferred.code, code("40171"));
    assert_eq!(inferred.evidence, clabe_prefix("171", confidence));
}

#[rstest]
#[case::a_prefix_that_is_newer_than_the_list("846180000000000000", "90846")]
#[case::a_phone_number("5512345678", "40021")]
fn an_account_that_tells_no_bank_needs_the_receiver_alone(
    #[case] account: &str,
    #[case] receiver: &str,
) {
    let named = resolved(query(KEY, account, None, Some(receiver)));
    assert_eq!(named.transfer.unwrap().receiver(), code(receiver));
}

#[rstest]
#[case::both_inferred(None, None, "40012")]
#[case::one_inferred(Some("40012"), None, "40012")]
#[case::both_named(Some("40012"), Some("40012"), "40012")]
#[case::by_an_earlier_code(Some("90638"), Some("40638"), "40638")]
#[case::by_a_later_code(Some("40638"), Some("90638"), "40638")]
fn one_institution_on_both_sides_has_no_proof(
    #[case] issuer: Option<&str>,
    #[case] receiver: Option<&str>,
    #[case] institution: &str,
) {
    let same = SameInstitution {
        code: code(institution),
    };
    let refused = resolved(query(KEY, CARD, issuer, receiver)).transfer;
    assert_eq!(refused, Err(Unresolved::SameInstitution(same)));
}

#[test]
fn only_a_clabe_and_a_shape_of_one_bank_are_certain_and_a_kind_has_no_digit() {
    for (evidence, kind, confidence) in [
        (clabe_prefix("014", HIGH), "clabe_prefix", "high"),
        (clabe_prefix("169", MEDIUM), "clabe_prefix", "medium"),
        (card_prefix(), "card_prefix", "medium"),
        (shape(HIGH), "tracking_key_shape:high", "high"),
        (shape(MEDIUM), "tracking_key_shape:medium", "medium"),
    ] {
        assert_eq!(evidence.kind(), kind);
        assert_eq!(Some(evidence.source()), kind.split(':').next());
        assert_eq!(evidence.confidence().name(), confidence);
    }
}

/// Tracking keys of public documentation and tests, whose issuers are known. A key of another bank
/// than the inferred one makes the portal find nothing, so none may be wrong; many are of shapes too
/// uncertain to be used.
#[test]
fn no_public_tracking_key_is_given_another_issuer() {
    let vectors = include_str!("../../../data/tracking-key-vectors.csv");
    let (mut right, mut wrong, mut unknown) = (0, Vec::new(), 0);
    for row in csv::Reader::from_reader(vectors.as_bytes()).records() {
        let row = row.unwrap();
        let key = TrackingKey::parse(&row[0]).unwrap();
        match infer_issuer(&key, day(&row[1]), Catalogue::embedded()) {
            Ok(inferred) if inferred.code == code(&row[2]) => right += 1,
            Ok(inferred) => wrong.push((row[0].to_owned(), inferred.code)),
            Err(_) => unknown += 1,
        }
    }
    assert_eq!(wrong, [], "{right} right, {unknown} not inferred");
    assert_eq!((right, unknown), (7, 15));
}

#[test]
fn accounts_to_which_no_transfer_can_have_been_made_are_left_out_unless_all_are() {
    let destination = |account: &str| Destination {
        account: Account::parse(account).unwrap(),
        receiver: None,
    };
    let accounts = |query: &ProofQuery| {
        let all = query.destinations().into_iter();
        all.map(|it| it.account.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    // The tracking key is BBVA's, whose CLABEs begin with 012; nobody's begin with 999.
    let (own, unknown) = ("012180001234567891", "999180001234567891");
    for (others, kept) in [
        (vec![own, CLABE, unknown], vec![CLABE]),
        (vec![own, unknown], vec![own, unknown]),
        (vec![CLABE], vec![CLABE]),
    ] {
        let asked = ProofQuery {
            others: others[1..].iter().map(|it| destination(it)).collect(),
            ..query(KEY, others[0], None, None)
        };
        let resolved = resolvable(asked, Catalogue::embedded());
        assert_eq!(accounts(&resolved), kept);
    }
}
