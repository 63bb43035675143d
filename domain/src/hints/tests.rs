//! Hints that a caller gets, and values that no hint reveals.

use chrono::Days;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::fixture::{code, day};
use crate::tracking_key::TrackingKey;

mod banks;
mod properties;

/// A Santander CLABE with the right check digit.
const CLABE: &str = "014027000005555558";
/// A Friday, and a banking day whose day is no month.
const FRIDAY: &str = "2026-11-20";

/// A transfer with hardly any hints.
struct Asked {
    date: NaiveDate,
    key: &'static str,
    account: &'static str,
    amount: &'static str,
    issuer: &'static str,
    receiver: &'static str,
    inferred: InferredBanks,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            date: day(FRIDAY),
            key: "PAGO",
            account: CLABE,
            amount: "1234.56",
            issuer: "40012",
            receiver: "40014",
            inferred: InferredBanks::default(),
        }
    }
}

fn of_key(key: &'static str) -> Asked {
    with(|it| it.key = key)
}

fn of_account(account: &'static str) -> Asked {
    with(|it| it.account = account)
}

/// A request with other values of some members.
fn with(change: impl FnOnce(&mut Asked)) -> Asked {
    let mut asked = Asked::default();
    change(&mut asked);
    asked
}

impl Asked {
    fn transfer(&self) -> Transfer {
        Transfer::new(
            self.date,
            TrackingKey::parse(self.key).unwrap(),
            Account::parse(self.account).unwrap(),
            Amount::parse(self.amount).unwrap(),
            code(self.issuer),
            code(self.receiver),
        )
        .unwrap()
    }

    fn today(&self) -> NaiveDate {
        day(FRIDAY).max(self.date)
    }

    fn hints(&self) -> Vec<Hint> {
        let catalogue = Catalogue::embedded();
        hints(&self.transfer(), &self.inferred, self.today(), catalogue)
    }

    /// The hints of a kind.
    fn told(&self, is_it: fn(&Hint) -> bool) -> Vec<Hint> {
        self.hints().into_iter().filter(is_it).collect()
    }

    fn tells(&self, is_it: fn(&Hint) -> bool) -> bool {
        !self.told(is_it).is_empty()
    }

    /// The fields of the contradictions.
    fn contradicted(&self) -> Vec<Field> {
        let catalogue = Catalogue::embedded();
        let found = contradictions(&self.transfer(), &self.inferred, self.today(), catalogue);
        found.into_iter().map(|(field, _)| field).collect()
    }
}

#[test]
fn a_contradiction_names_the_field_to_look_at() {
    assert_eq!(Asked::default().contradicted(), []);
    assert_eq!(of_key("201126").contradicted(), [Field::TrackingKey]);
    let slip = of_key("mbanO1002611200000000001").contradicted();
    assert_eq!(slip[0], Field::TrackingKey);
    let of_account = of_account("014027000005555551");
    assert_eq!(of_account.contradicted(), [Field::Account]);
    // A code of other times, and below a wrong check digit, too.
    let of_issuer = with(|it| it.issuer = "90638");
    assert_eq!(of_issuer.contradicted(), [Field::Issuer]);
    let of_receiver = with(|it| (it.account, it.receiver) = ("638180000012345670", "90638"));
    let both = [Field::Account, Field::Receiver];
    assert_eq!(of_receiver.contradicted(), both);
}

#[test]
fn a_request_without_a_flaw_may_still_be_a_day_off() {
    let other = day("2026-11-19");
    let hints = Asked::default().hints();
    assert_eq!(hints, [Hint::MaybeOperationDate { other }]);
}

#[test]
fn a_wrong_check_digit_is_reported_first_and_a_phone_number_has_none() {
    for (account, given, expected) in [("014027000005555551", 1, 8), ("4111111111111112", 2, 1)] {
        let hints = of_account(account).hints();
        assert_eq!(hints[0], Hint::CheckDigit { given, expected });
    }
    let phone = of_account("5512345678");
    assert!(!phone.tells(|it| matches!(it, Hint::CheckDigit { .. })));
}

#[test]
fn a_reference_in_place_of_the_tracking_key_is_reported_first_and_not_read_as_a_date() {
    let asked = with(|it| (it.key, it.account) = ("201126", "014027000005555551"));
    assert_eq!(asked.hints()[0], Hint::LooksLikeReference);
    assert!(!asked.tells(|it| matches!(it, Hint::DateInTrackingKey { .. })));
}

#[test]
fn the_key_that_was_probably_meant_is_reported() {
    let expected = TrackingKey::parse("MBAN01002611200000000001").unwrap();
    let hints = of_key("mbanO1002611200000000001").hints();
    assert_eq!(hints[0], Hint::LikelyTrackingKey { expected });
}

#[rstest]
#[case::other_date("2024-08-11", "PAGO", Some("2024-11-08"))]
#[case::no_such_month("2024-08-13", "PAGO", None)]
#[case::the_same_date("2024-08-08", "PAGO", None)]
#[case::in_the_future("2026-11-12", "PAGO", None)]
#[case::confirmed_by_the_tracking_key("2024-08-09", "XX20240809000YY", None)]
fn day_and_month_are_swapped_when_that_could_be(
    #[case] date: &str,
    #[case] key: &'static str,
    #[case] other: Option<&str>,
) {
    let asked = with(|it| (it.date, it.key) = (day(date), key));
    let swapped = asked.told(|it| matches!(it, Hint::DayAndMonthSwapped { .. }));
    let expected = other.map(|other| Hint::DayAndMonthSwapped { other: day(other) });
    assert_eq!(swapped, expected.as_slice());
}

#[rstest]
#[case::by_shape("MBAN01002611180012345678", Some("2026-11-18"))]
#[case::by_day_of_the_year("085900001234532201", Some("2026-11-18"))]
#[case::anywhere("XX20261118000YY", Some("2026-11-18"))]
#[case::day_first("PAGO 18112026", Some("2026-11-18"))]
#[case::a_shape_of_low_confidence("BiB20261118001234567", Some("2026-11-18"))]
#[case::the_same_date("MBAN01002611200012345678", None)]
#[case::in_the_future("XX20261121000YY", None)]
#[case::years_away("XX20201118000YY", None)]
#[case::no_date("PAGO DE RENTA", None)]
fn a_date_inside_the_tracking_key_is_reported_when_it_differs(
    #[case] key: &'static str,
    #[case] expected: Option<&str>,
) {
    let told = of_key(key).told(|it| matches!(it, Hint::DateInTrackingKey { .. }));
    let expected = expected.map(|found| Hint::DateInTrackingKey { found: day(found) });
    assert_eq!(told, expected.as_slice());
}

#[rstest]
#[case::after_a_banking_day("2026-11-20", Hint::MaybeOperationDate { other: day("2026-11-19") })]
#[case::after_a_weekend("2026-11-09", Hint::MaybeOperationDate { other: day("2026-11-08") })]
#[case::a_saturday("2026-11-14", Hint::NotABankingDay { operation_date: day("2026-11-17") })]
#[case::revolution_day("2026-11-16", Hint::NotABankingDay { operation_date: day("2026-11-17") })]
fn calendar_and_operation_date_may_be_mixed_up(#[case] date: &str, #[case] expected: Hint) {
    let asked = with(|it| it.date = day(date));
    assert!(asked.hints().contains(&expected));
}

#[test]
fn many_whole_pesos_look_like_centavos() {
    for (amount, expected) in [
        ("10000", true),
        ("341495.00", true),
        ("9999", false),
        ("341495.01", false),
    ] {
        let asked = with(|it| it.amount = amount);
        let told = asked.hints().contains(&Hint::AmountLooksLikeCentavos);
        assert_eq!(told, expected, "{amount}");
    }
}

#[test]
fn contradictions_come_before_possibilities() {
    let asked = Asked {
        date: day("2026-08-04"),
        key: "MBAN01002608010012345678",
        account: "014027000005555551",
        amount: "20000",
        issuer: "40638",
        receiver: "40072",
        inferred: InferredBanks::default(),
    };
    let hints = asked.hints();
    assert!(matches!(
        hints[..],
        [
            Hint::CheckDigit { .. },
            Hint::CodeNotValidOnDate { .. },
            Hint::ReceiverDiffers { .. },
            Hint::IssuerDiffers { .. },
            Hint::DateInTrackingKey { .. },
            Hint::MaybeOperationDate { .. },
            Hint::DayAndMonthSwapped { .. },
            Hint::AmountLooksLikeCentavos,
        ]
    ));
}
