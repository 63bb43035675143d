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
        (it.date, it.account, it.receiver) = (day("2026-10-02"), "171180000000000008", "40171");
    });
    assert!(!asked.tells(|it| matches!(it, Hint::CodeNotValidOnDate { .. })));
    assert!(!asked.tells(|it| matches!(it, Hint::ParticipantUnknown { .. })));
}

#[test]
fn the_receiver_of_the_clabe_is_reported_when_another_was_named() {
    let asked = with(|it| it.receiver = "40072");
    let [given, expected] = ["40072", "40014"].map(code);
    assert_eq!(asked.hints()[0], Hint::ReceiverDiffers { given, expected });
    let of_nobody = of_account("999027000005555558");
    assert!(!of_nobody.tells(|it| matches!(it, Hint::ReceiverDiffers { .. })));
}

#[rstest]
#[case::of_another_receiver("40171", true)]
#[case::of_a_receiver_as_unknown("90846", false)]
fn an_account_at_nobody_is_reported_unless_the_receiver_may_be_as_new(
    #[case] receiver: &'static str,
    #[case] is_reported: bool,
) {
    let asked = with(|it| (it.account, it.receiver) = ("846180000000000002", receiver));
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
    #[case] key: &'static str,
    #[case] issuer: &'static str,
    #[case] expected: Option<&str>,
) {
    let asked = with(|it| (it.key, it.issuer) = (key, issuer));
    let told = asked.told(|it| matches!(it, Hint::IssuerDiffers { .. }));
    let given = code(issuer);
    let expected = expected
        .map(code)
        .map(|expected| Hint::IssuerDiffers { given, expected });
    assert_eq!(told, expected.as_slice());
}

#[rstest]
#[case::certain("HSBC123456", "40021", false)]
#[case::less_certain("CPO000012345678", "90722", true)]
fn an_inferred_issuer_is_reported_unless_it_is_certain(
    #[case] key: &'static str,
    #[case] issuer: &'static str,
    #[case] expected: bool,
) {
    let shape = TrackingKey::parse(key).unwrap();
    let inferred = inference::infer_issuer(&shape, day(FRIDAY), Catalogue::embedded()).unwrap();
    assert_eq!(inferred.code, code(issuer));
    let asked = with(|it| {
        (it.key, it.issuer) = (key, issuer);
        it.inferred.issuer = Some(inferred);
    });
    let inferred = code(issuer);
    let told = asked
        .hints()
        .contains(&Hint::IssuerWasInferred { inferred });
    assert_eq!(told, expected);
}

#[test]
fn a_code_of_other_times_is_one_hint_with_the_code_of_the_day() {
    let of_receiver = |it: &mut Asked| (it.account, it.receiver) = ("638180000012345670", "90638");
    let of_issuer = |it: &mut Asked| (it.date, it.issuer) = (day("2026-08-04"), "40638");
    for (asked, given, expected) in [
        (with(of_receiver), "90638", "40638"),
        (with(of_issuer), "40638", "90638"),
    ] {
        let (given, expected) = (code(given), Some(code(expected)));
        let told = asked.told(|it| matches!(it, Hint::CodeNotValidOnDate { .. }));
        assert_eq!(told, [Hint::CodeNotValidOnDate { given, expected }]);
        assert!(!asked.tells(|it| matches!(it, Hint::ReceiverDiffers { .. })));
    }
}
