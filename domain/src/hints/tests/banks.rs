//! Hints about banks: their codes, and what accounts and tracking keys say of them.

use rstest::rstest;

use super::*;

#[rstest]
#[case::issuer("90846", "40014")]
#[case::receiver("40012", "90846")]
fn a_code_that_may_be_newer_than_the_list_is_reported_with_the_lists_date(
    #[case] issuer: &'static str,
    #[case] receiver: &'static str,
) {
    let asked = with(|it| (it.issuer, it.receiver) = (issuer, receiver));
    let hint = Hint::ParticipantUnknown {
        given: code("90846"),
        list_date: day("2026-09-11"),
    };
    assert_eq!(asked.hints()[0], hint);
}

#[test]
fn nobody_is_told_that_a_code_from_an_unknown_day_was_nobodys() {
    let asked = with(|it| {
        it.date = day("2026-10-02");
        it.account = "171180000000000008".to_owned();
        it.receiver = "40171";
    });
    for hint in asked.hints() {
        assert!(!matches!(hint, Hint::CodeNotValidOnDate { .. }));
        assert!(!matches!(hint, Hint::ParticipantUnknown { .. }));
    }
}

#[test]
fn the_receiver_of_the_clabe_is_reported_when_another_was_named() {
    let asked = with(|it| it.receiver = "40072");
    let hint = Hint::ReceiverDiffers {
        given: code("40072"),
        expected: code("40014"),
    };
    assert_eq!(asked.hints()[0], hint);
}

#[rstest]
#[case::of_another_receiver("40171", true)]
#[case::of_a_receiver_as_unknown("90846", false)]
fn an_account_at_nobody_is_reported_unless_the_receiver_may_be_as_new(
    #[case] receiver: &'static str,
    #[case] is_reported: bool,
) {
    let asked = with(|it| (it.account, it.receiver) = ("846180000000000002".to_owned(), receiver));
    let hint = Hint::AccountPrefixUnknown {
        prefix: 846,
        list_date: day("2026-09-11"),
    };
    assert_eq!(asked.hints().contains(&hint), is_reported);
}

#[rstest]
#[case::another_bank("HSBC123456", "40012", Some("40021"))]
#[case::of_medium_confidence("CPO000012345678", "40012", Some("90722"))]
#[case::the_same_bank("HSBC123456", "40021", None)]
#[case::an_old_code_of_the_same_bank("NU00000000000000000000000000", "90638", None)]
#[case::of_no_known_shape("PAGO", "40012", None)]
fn the_issuer_of_the_tracking_key_is_reported_when_another_was_named(
    #[case] key: &str,
    #[case] issuer: &'static str,
    #[case] expected: Option<&str>,
) {
    let asked = with(|it| (it.key, it.issuer) = (key.to_owned(), issuer));
    let found = asked.hints().into_iter().find_map(|hint| match hint {
        Hint::IssuerDiffers { given, expected } => Some((given, expected)),
        _ => None,
    });
    let expected = expected.map(|expected| (code(issuer), code(expected)));
    assert_eq!(found, expected);
}

#[rstest]
#[case::certain("HSBC123456", "40021", false)]
#[case::less_certain("CPO000012345678", "90722", true)]
fn an_inferred_issuer_is_reported_unless_it_is_certain(
    #[case] key: &str,
    #[case] issuer: &'static str,
    #[case] expected: bool,
) {
    let shape = TrackingKey::parse(key).unwrap();
    let inferred = inference::infer_issuer(&shape, day(FRIDAY), Catalogue::embedded()).unwrap();
    assert_eq!(inferred.code, code(issuer));
    let asked = with(|it| {
        (it.key, it.issuer) = (key.to_owned(), issuer);
        it.inferred.issuer = Some(inferred);
    });
    let hint = Hint::IssuerWasInferred {
        inferred: code(issuer),
    };
    assert_eq!(asked.hints().contains(&hint), expected);
}

#[test]
fn a_clabe_of_no_participant_names_no_receiver() {
    let asked = with(|it| it.account = "999027000005555558".to_owned());
    let differs = |hint: &Hint| matches!(hint, Hint::ReceiverDiffers { .. });
    assert!(!asked.hints().iter().any(differs));
}

#[test]
fn a_receivers_code_of_other_times_is_one_hint_and_not_two() {
    let asked = with(|it| (it.account, it.receiver) = ("638180000012345670".to_owned(), "90638"));
    let hints = asked.hints();
    let hint = Hint::CodeNotValidOnDate {
        given: code("90638"),
        expected: Some(code("40638")),
    };
    assert!(hints.contains(&hint));
    let differs = |hint: &Hint| matches!(hint, Hint::ReceiverDiffers { .. });
    assert!(!hints.iter().any(differs));
}

#[test]
fn an_issuers_code_that_is_not_valid_yet_is_reported() {
    let asked = with(|it| (it.date, it.issuer) = (day("2026-08-04"), "40638"));
    let hint = Hint::CodeNotValidOnDate {
        given: code("40638"),
        expected: Some(code("90638")),
    };
    assert!(asked.hints().contains(&hint));
}
