//! What is sealed, compared with what a row asks for.

use super::*;
use crate::amount::pesos;
use crate::calendar::next_banking_day;
use crate::participants::Catalogue;

const CARD: &str = "4111111111111111";
/// A Friday, on whose evening a payment is made that belongs to Monday's operation.
const FRIDAY: (i32, u32, u32) = (2026, 11, 20);

fn asked(date: (i32, u32, u32), account: &str, amount: &str, receiver: &str) -> Transfer {
    let date = day(date.0, date.1, date.2);
    transfer_to(account, date, "PRUEBA0001", amount, receiver)
}

fn mismatches(proof: &Proof, asked: &Transfer, issuer: Option<&str>) -> Vec<Mismatch> {
    let catalogue = Catalogue::embedded();
    let named = issuer.map(|code| catalogue.institution(crate::fixture::code(code)));
    let sealed = SealedPayment::of(proof, catalogue);
    sealed.mismatches(asked, named).collect()
}

#[rstest]
#[case::all_equal(asked(FRIDAY, CARD, "1234.56", "40014"), &[])]
#[case::another_amount(asked(FRIDAY, CARD, "1234.57", "40014"), &[Mismatch::Amount])]
#[case::another_receiver(asked(FRIDAY, CARD, "1234.56", "40072"), &[Mismatch::Receiver])]
#[case::another_card(asked(FRIDAY, "4111111111111112", "1234.56", "40014"), &[Mismatch::Account])]
#[case::a_clabe(asked(FRIDAY, "002010077777777771", "1234.56", "40014"), &[Mismatch::Account])]
#[case::a_phone(asked(FRIDAY, "5512345678", "1234.56", "40014"), &[Mismatch::Account])]
#[case::another_date(asked((2026, 11, 19), CARD, "1234.56", "40014"), &[Mismatch::Date])]
#[case::all_but_the_key(
    asked((2026, 11, 24), "5512345678", "1.00", "40072"),
    &[Mismatch::Receiver, Mismatch::Amount, Mismatch::Date, Mismatch::Account]
)]
fn a_row_is_answered_by_what_is_sealed_alone(
    #[case] asked: Transfer,
    #[case] expected: &[Mismatch],
) {
    let proof = Written::default().parse().unwrap();
    assert_eq!(mismatches(&proof, &asked, None), expected);
}

#[rstest]
#[case::a_card(("4111111111111111", "3"), CARD, true)]
#[case::a_clabe(("002010077777777771", "40"), "002010077777777771", true)]
#[case::a_phone(("5512345678", "10"), "5512345678", true)]
#[case::of_another_kind(("002010077777777771", "3"), "002010077777777771", false)]
#[case::of_no_kind(("002010077777777771", "NA"), "002010077777777771", false)]
#[case::none(("NA", "40"), "002010077777777771", false)]
#[case::four_digits(("7771", "40"), "002010077777777771", false)]
#[case::the_card_of_a_clabe(("4152313012345678", "3"), "002010077777777771", false)]
fn the_account_is_the_same_to_the_last_digit(
    #[case] sealed: (&'static str, &'static str),
    #[case] asks: &str,
    #[case] expected: bool,
) {
    let written = Written {
        beneficiary: ["BANCO DOS", "Luis Ejemplo", sealed.1, sealed.0, "ND"],
        ..Written::default()
    };
    let asked = asked(FRIDAY, asks, "1234.56", "40014");
    let found = mismatches(&written.parse().unwrap(), &asked, None);
    assert_eq!(found.is_empty(), expected, "{found:?}");
}

#[rstest]
#[case::its_name("BBVA MEXICO", Some("40012"), true)]
#[case::another("SANTANDER", Some("40012"), false)]
#[case::another_that_was_inferred("SANTANDER", None, true)]
#[case::a_name_that_nobody_has("BANCO UNO", Some("40012"), true)]
#[case::no_name("NA", Some("40012"), true)]
fn an_issuer_that_was_named_is_compared_by_its_name(
    #[case] institution: &'static str,
    #[case] issuer: Option<&str>,
    #[case] expected: bool,
) {
    let written = Written {
        payer: [institution, "Ana Prueba", "40", "012180000118359719", "ND"],
        ..Written::default()
    };
    let asked = asked(FRIDAY, CARD, "1234.56", "40014");
    let found = mismatches(&written.parse().unwrap(), &asked, issuer);
    let differs: &[_] = if expected { &[] } else { &[Mismatch::Issuer] };
    assert_eq!(found, differs);
}

#[rstest]
#[case::before_the_end_of_the_operation_day((2026, 11, 18), (2026, 11, 18), (2026, 11, 18), true)]
#[case::in_the_evening((2026, 11, 18), (2026, 11, 19), (2026, 11, 18), true)]
#[case::after_midnight((2026, 11, 18), (2026, 11, 19), (2026, 11, 19), true)]
#[case::on_a_friday_evening((2026, 11, 20), (2026, 11, 23), (2026, 11, 20), true)]
#[case::on_a_saturday((2026, 11, 21), (2026, 11, 23), (2026, 11, 21), true)]
#[case::by_its_operation_date((2026, 11, 23), (2026, 11, 23), (2026, 11, 21), true)]
#[case::of_the_monday_after((2026, 11, 20), (2026, 11, 23), (2026, 11, 23), false)]
#[case::of_the_day_before((2026, 11, 18), (2026, 11, 17), (2026, 11, 17), false)]
#[case::credited_that_day_in_an_earlier_operation((2026, 11, 18), (2026, 11, 17), (2026, 11, 18), false)]
#[case::credited_days_before((2026, 11, 18), (2026, 11, 18), (2026, 11, 13), false)]
#[case::credited_days_later((2026, 11, 18), (2026, 11, 18), (2026, 11, 20), false)]
fn both_dates_are_those_of_a_payment_of_the_day(
    #[case] date: (i32, u32, u32),
    #[case] operation: (i32, u32, u32),
    #[case] credit: (i32, u32, u32),
    #[case] expected: bool,
) {
    let written = Written {
        operation_date: day(operation.0, operation.1, operation.2),
        credit_date: day(credit.0, credit.1, credit.2),
        ..Written::default()
    };
    let asked = asked(date, CARD, "1234.56", "40014");
    let found = mismatches(&written.parse().unwrap(), &asked, None);
    let differs: &[_] = if expected { &[] } else { &[Mismatch::Date] };
    assert_eq!(found, differs);
}

proptest! {
    #[test]
    fn whatever_answers_by_what_is_sealed_answers_the_bank_too(
        (centavos, written) in written(), days in -9_i64..9,
    ) {
        let written = Written { key: "PRUEBA0001".to_owned(), ..written };
        let proof = written.parse().unwrap();
        let date = written.credit_date + TimeDelta::days(days);
        let asked = transfer_to(CARD, date, "PRUEBA0001", &pesos(centavos), "40014");
        let sealed = SealedPayment::of(&proof, Catalogue::embedded());
        prop_assert_eq!(sealed.centavos(), Some(centavos));
        let found = mismatches(&proof, &asked, None);
        let is_answer = found.is_empty();
        prop_assert!(is_answer || found == [Mismatch::Date]);
        if is_answer {
            prop_assert_eq!(proof.answers(&asked), Ok(()));
            let operation = written.operation_date;
            prop_assert!(operation == date || operation == next_banking_day(date));
        }
    }

    #[test]
    fn nothing_beside_the_chain_makes_a_proof_an_answer(
        account in "[0-9]{16}", centavos in 1_u64..1_000_000, days in 0_u64..9,
    ) {
        let xml = Written::default().xml();
        let date = day(2026, 11, 23) + chrono::Days::new(days);
        let pesos = pesos(centavos);
        let edits = [
            ("Cuenta=\"4111111111111111\"", format!("Cuenta=\"{account}\"")),
            ("MontoPago=\"1234.56\"", format!("MontoPago=\"{pesos}\"")),
            ("FechaOperacion=\"2026-11-23\"", format!("FechaOperacion=\"{date}\"")),
            ("ClaveSPEI=\"40014\"", "ClaveSPEI=\"40072\"".to_owned()),
        ];
        let mut edited = xml.clone();
        for (from, to) in &edits {
            prop_assert!(edited.contains(from));
            edited = edited.replace(from, to);
        }
        let [sealed, edited] = [&xml, &edited].map(|xml| Proof::read(xml.as_bytes()).unwrap());
        for asked in [
            asked(FRIDAY, CARD, "1234.56", "40014"),
            asked(FRIDAY, &account, &pesos, "40072"),
        ] {
            prop_assert_eq!(mismatches(&edited, &asked, None), mismatches(&sealed, &asked, None));
        }
    }
}
