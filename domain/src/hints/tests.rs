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
    key: String,
    account: String,
    amount: String,
    issuer: &'static str,
    receiver: &'static str,
    inferred: InferredBanks,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            date: day(FRIDAY),
            key: "PAGO".to_owned(),
            account: CLABE.to_owned(),
            amount: "1234.56".to_owned(),
            issuer: "40012",
            receiver: "40014",
            inferred: InferredBanks::default(),
        }
    }
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
            TrackingKey::parse(&self.key).unwrap(),
            Account::parse(&self.account).unwrap(),
            Amount::parse(&self.amount).unwrap(),
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
    let of_key = |key: &str| with(|it| it.key = key.to_owned()).contradicted();
    assert_eq!(of_key("201126"), [Field::TrackingKey]);
    assert_eq!(of_key("mbanO1002611200000000001")[0], Field::TrackingKey);
    let of_account = with(|it| it.account = "014027000005555551".to_owned());
    assert_eq!(of_account.contradicted(), [Field::Account]);
    // A code of other times, and below a wrong check digit, too.
    let of_issuer = with(|it| it.issuer = "90638");
    assert_eq!(of_issuer.contradicted(), [Field::Issuer]);
    let of_receiver = with(|it| {
        it.account = "638180000012345670".to_owned();
        it.receiver = "90638";
    });
    let both = [Field::Account, Field::Receiver];
    assert_eq!(of_receiver.contradicted(), both);
}

#[test]
fn a_request_without_a_flaw_may_still_be_a_day_off() {
    let only = Hint::MaybeOperationDate {
        other: day("2026-11-19"),
    };
    assert_eq!(Asked::default().hints(), [only]);
}

#[rstest]
#[case::clabe("014027000005555551", 1, 8)]
#[case::card("4111111111111112", 2, 1)]
fn a_wrong_check_digit_is_reported_first(
    #[case] account: &str,
    #[case] given: u8,
    #[case] expected: u8,
) {
    let asked = with(|it| it.account = account.to_owned());
    assert_eq!(asked.hints()[0], Hint::CheckDigit { given, expected });
}

#[test]
fn a_reference_in_place_of_the_tracking_key_is_reported_first_and_not_read_as_a_date() {
    let asked = with(|it| {
        it.key = "201126".to_owned();
        it.account = "014027000005555551".to_owned();
    });
    let hints = asked.hints();
    assert_eq!(hints[0], Hint::LooksLikeReference);
    let is_date = |hint: &Hint| matches!(hint, Hint::DateInTrackingKey { .. });
    assert!(!hints.iter().any(is_date), "{hints:?}");
}

#[test]
fn the_key_that_was_probably_meant_is_reported() {
    let asked = with(|it| it.key = "mbanO1002611200000000001".to_owned());
    let expected = TrackingKey::parse("MBAN01002611200000000001").unwrap();
    assert_eq!(asked.hints()[0], Hint::LikelyTrackingKey { expected });
}

#[test]
fn a_phone_number_has_no_check_digit() {
    let asked = with(|it| it.account = "5512345678".to_owned());
    let of_a_digit = |hint: &Hint| matches!(hint, Hint::CheckDigit { .. });
    assert!(!asked.hints().iter().any(of_a_digit));
}

#[rstest]
#[case::other_date("2024-08-11", Some("2024-11-08"))]
#[case::no_such_month("2024-08-13", None)]
#[case::the_same_date("2024-08-08", None)]
#[case::in_the_future("2026-11-12", None)]
fn day_and_month_are_swapped_when_that_could_be(#[case] date: &str, #[case] other: Option<&str>) {
    let asked = with(|it| it.date = day(date));
    let swapped: Vec<NaiveDate> = asked
        .hints()
        .into_iter()
        .filter_map(|hint| match hint {
            Hint::DayAndMonthSwapped { other } => Some(other),
            _ => None,
        })
        .collect();
    assert_eq!(swapped, other.map(day).into_iter().collect::<Vec<_>>());
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
    #[case] key: &str,
    #[case] expected: Option<&str>,
) {
    let asked = with(|it| it.key = key.to_owned());
    let found = asked.hints().into_iter().find_map(|hint| match hint {
        Hint::DateInTrackingKey { found } => Some(found),
        _ => None,
    });
    assert_eq!(found, expected.map(day));
}

#[test]
fn a_date_that_the_tracking_key_confirms_is_not_swapped() {
    let asked = with(|it| (it.date, it.key) = (day("2024-08-09"), "XX20240809000YY".to_owned()));
    let swapped = |hint: &Hint| matches!(hint, Hint::DayAndMonthSwapped { .. });
    assert!(!asked.hints().iter().any(swapped));
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

#[rstest]
#[case("10000", true)]
#[case("341495.00", true)]
#[case("9999", false)]
#[case("341495.01", false)]
fn many_whole_pesos_look_like_centavos(#[case] amount: &str, #[case] expected: bool) {
    let asked = with(|it| it.amount = amount.to_owned());
    let told = asked.hints().contains(&Hint::AmountLooksLikeCentavos);
    assert_eq!(told, expected);
}

#[test]
fn contradictions_come_before_possibilities() {
    let asked = Asked {
        date: day("2026-08-04"),
        key: "MBAN01002608010012345678".to_owned(),
        account: "014027000005555551".to_owned(),
        amount: "20000".to_owned(),
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
