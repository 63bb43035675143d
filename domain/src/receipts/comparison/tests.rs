//! Receipts beside the proof of a payment, with the eyes of somebody who edited the receipt.

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::account::AccountError;
use crate::amount::AmountError;
use crate::calendar::DateError;
use crate::fixture::{code, day};
use crate::receipts::Receipt;
use crate::tracking_key::TrackingKeyError;

const ACCOUNT: &str = "002010077777777771";
const KEY: &str = "MBAN01002611200001234567";
const NAME: &str = "ANA MARIA PRUEBA EJEMPLO";

/// The proof of a payment of 1,234.56 on Friday, 20 November 2026, after the end of the operation day.
struct Written {
    key: &'static str,
    hour: &'static str,
    name: &'static str,
    account: &'static str,
}

const WRITTEN: Written = Written {
    key: KEY,
    hour: "18:02:30",
    name: NAME,
    account: ACCOUNT,
};

impl Written {
    fn proof(&self) -> Proof {
        let Self {
            key,
            hour,
            name,
            account,
        } = self;
        let time = hour.replace(':', "");
        let chain = format!(
            "||1|23112026|20112026|{time}|40002|BBVA MEXICO|NA|-1|ND|NA|BANAMEX|{name}|40|{account}|ND|PAGO|0.00|1234.56{}|\
             00001000000500000001||c2VsbG8=",
            "|NA".repeat(24)
        );
        let xml = format!(
            r#"<SPEI_Tercero FechaOperacion="2026-11-23" Hora="{hour}" ClaveSPEI="40002" sello="c2VsbG8="
               numeroCertificado="00001000000500000001" cadenaCDA="{chain}" claveRastreo="{key}">
               <Beneficiario BancoReceptor="BANAMEX" Nombre="{name}" TipoCuenta="40" Cuenta="{account}" RFC="ND"
                 Concepto="PAGO" IVA="0.00" MontoPago="1234.56"/>
               <Ordenante BancoEmisor="BBVA MEXICO" Nombre="NA" TipoCuenta="-1" Cuenta="ND" RFC="NA"/>
               </SPEI_Tercero>"#
        );
        Proof::parse(xml.as_bytes()).unwrap()
    }

    /// The value of the proof, and `true` if it is the same as that of a receipt, which is read with certainty.
    fn beside(&self, field: ReceiptField, text: &str) -> Option<(String, bool)> {
        let proof = self.proof();
        let compared = compared(&proof, &[value(field, text)]).unwrap();
        compared
            .into_iter()
            .next()
            .map(|it| (it.proved, it.is_same))
    }
}

fn value(field: ReceiptField, text: &str) -> ReceiptValue<'_> {
    ReceiptValue {
        field,
        text,
        confidence: ReadConfidence::High,
    }
}

fn values_of(receipt: &Receipt) -> Vec<ReceiptValue<'_>> {
    let values = receipt.fields.iter().map(|read| ReceiptValue {
        field: read.field,
        text: &read.value,
        confidence: read.confidence,
    });
    values.collect()
}

fn compared(
    proof: &Proof,
    receipt: &[ReceiptValue<'_>],
) -> Result<Vec<ComparedField>, ReceiptValueError> {
    compare(receipt, proof, code("40012"), Catalogue::embedded())
}

fn is_same(field: ReceiptField, text: &str) -> Option<bool> {
    WRITTEN.beside(field, text).map(|(_, is_same)| is_same)
}

fn refused(field: ReceiptField, text: &str) -> ReceiptValueProblem {
    let refused = compared(&WRITTEN.proof(), &[value(field, text)]);
    refused.err().map(|error| error.problem).unwrap()
}

#[test]
fn a_receipt_that_was_read_is_compared_in_the_order_of_its_values() {
    let text = format!(
        "Transferencia SPEI\nMonto: $1,234.56\nFecha y hora: 20/nov/2026 18:02:30\nCuenta destino: {ACCOUNT}\n\
         Banco destino: BANAMEX\nBeneficiario: Ana Prueba\nReferencia: 1234567\nConcepto: renta\n\
         Clave de rastreo: {KEY}"
    );
    let receipt = Receipt::read_plain(&text, day("2026-11-25"), Catalogue::embedded());
    let values = values_of(&receipt);
    assert_eq!(values.len(), ReceiptField::ALL.len());
    let compared = compared(&WRITTEN.proof(), &values).unwrap();
    let shown = compared.iter().map(|it| {
        assert!(it.is_same, "{}", it.read);
        format!("{}: {} = {}", it.field.name(), it.read, it.proved)
    });
    let shown: Vec<_> = shown.collect();
    assert_eq!(
        shown,
        [
            "fecha: 2026-11-20 = 2026-11-20",
            "clave_rastreo: MBAN01002611200001234567 = MBAN01002611200001234567",
            "cuenta: 002010077777777771 = 002010077777777771",
            "monto: 1234.56 = 1234.56",
            "emisor: 40012 = 40012",
            "receptor: 40002 = 40002",
            "nombre_beneficiario: Ana Prueba = ANA MARIA PRUEBA EJEMPLO",
        ]
    );
}

#[test]
fn a_value_in_doubt_tells_nothing_and_a_name_decides_nothing() {
    let doubtful = ReceiptValue {
        confidence: ReadConfidence::Low,
        ..value(ReceiptField::Amount, "9.00")
    };
    let name = ReceiptValue {
        confidence: ReadConfidence::Medium,
        ..value(ReceiptField::Beneficiary, "Luis Modelo")
    };
    let key = value(ReceiptField::TrackingKey, "MBAN01002611200007654321");
    let compared = compared(&WRITTEN.proof(), &[doubtful, name, key]).unwrap();
    let told: Vec<_> = compared
        .iter()
        .map(|it| (it.field, it.is_same, it.decides()))
        .collect();
    assert_eq!(
        told,
        [
            (ReceiptField::Beneficiary, false, false),
            (ReceiptField::TrackingKey, false, true)
        ]
    );
}

#[rstest]
#[case::as_in_the_proof(KEY, KEY, Some(true))]
#[case::in_parts("mban0100-2611 2000-0123 4567", KEY, Some(true))]
#[case::of_another_payment("MBAN01002611200001234568", KEY, Some(false))]
#[case::a_part_of_it("MBAN0100261120000123456", KEY, Some(false))]
#[case::of_hyphens_alone("---", KEY, Some(false))]
#[case::of_hyphens_on_both_sides("---", "-", Some(false))]
fn a_tracking_key_may_be_spelled_in_another_way(
    #[case] read: &str,
    #[case] key: &'static str,
    #[case] expected: Option<bool>,
) {
    let written = Written { key, ..WRITTEN };
    let found = written.beside(ReceiptField::TrackingKey, read);
    assert_eq!(found.map(|(_, is_same)| is_same), expected);
}

#[rstest]
#[case::of_the_credit("2026-11-20", "18:02:30", "2026-11-20", true)]
#[case::of_the_operation("2026-11-23", "18:02:30", "2026-11-23", true)]
#[case::between_them("2026-11-21", "18:02:30", "2026-11-20", false)]
#[case::of_another_year("2025-11-20", "18:02:30", "2026-11-20", false)]
#[case::before_midnight("2026-11-19", "00:29:59", "2026-11-20", true)]
#[case::too_long_before_the_credit("2026-11-19", "00:30:00", "2026-11-20", false)]
#[case::a_day_too_early("2026-11-18", "00:00:00", "2026-11-20", false)]
#[case::a_day_late("2026-11-21", "00:00:00", "2026-11-20", false)]
fn a_date_is_that_of_the_credit_or_of_the_operation(
    #[case] read: &str,
    #[case] hour: &'static str,
    #[case] proved: &str,
    #[case] is_same: bool,
) {
    let found = Written { hour, ..WRITTEN }.beside(ReceiptField::Date, read);
    assert_eq!(found, Some((proved.to_owned(), is_same)));
}

#[rstest]
#[case::whole(ACCOUNT, ACCOUNT, Some(true))]
#[case::in_groups("002 010 07777777777 1", ACCOUNT, Some(true))]
#[case::of_another("012180001234567771", ACCOUNT, Some(false))]
#[case::its_ending("****7771", ACCOUNT, Some(true))]
#[case::both_its_ends("0020 **** 7771", ACCOUNT, Some(true))]
#[case::another_ending("****7772", ACCOUNT, Some(false))]
#[case::another_beginning("4152****7771", ACCOUNT, Some(false))]
#[case::a_phone_number("5512345678", ACCOUNT, None)]
#[case::a_card("4152313177777771", ACCOUNT, None)]
#[case::of_a_card("****7771", "4152313177777771", Some(true))]
#[case::of_no_kind("****7771", "77777777771", None)]
#[case::beside_none(ACCOUNT, "ND", None)]
fn accounts_of_a_kind_are_compared_and_shown_digits_of_any(
    #[case] read: &str,
    #[case] account: &'static str,
    #[case] expected: Option<bool>,
) {
    let written = Written { account, ..WRITTEN };
    let found = written.beside(ReceiptField::Account, read);
    assert_eq!(found, expected.map(|is_same| (account.to_owned(), is_same)));
}

#[rstest]
#[case("1234.56", true)]
#[case("1234.57", false)]
#[case("1234.5", false)]
#[case("123456", false)]
#[case("9007199254740993.01", false)]
fn amounts_are_compared_to_the_centavo(#[case] read: &str, #[case] same: bool) {
    let found = WRITTEN.beside(ReceiptField::Amount, read);
    assert_eq!(found, Some(("1234.56".to_owned(), same)));
}

#[rstest]
#[case::receiver(ReceiptField::Receiver, "40002", true)]
#[case::its_name(ReceiptField::Receiver, "Banamex", true)]
#[case::other_receiver(ReceiptField::Receiver, "40012", false)]
#[case::issuer(ReceiptField::Issuer, "40012", true)]
#[case::other_issuer(ReceiptField::Issuer, "40002", false)]
#[case::unknown(ReceiptField::Issuer, "49999", false)]
fn institutions_are_compared_by_code(
    #[case] field: ReceiptField,
    #[case] read: &str,
    #[case] same: bool,
) {
    assert_eq!(is_same(field, read), Some(same));
}

#[test]
fn codes_of_an_institution_are_the_same() {
    let value = [value(ReceiptField::Issuer, "90638")];
    let compared = compare(
        &value,
        &WRITTEN.proof(),
        code("40638"),
        Catalogue::embedded(),
    );
    let compared = compared.unwrap();
    assert_eq!((compared[0].is_same, &*compared[0].proved), (true, "40638"));
}

#[rstest]
#[case::shorter("Ana Prueba", Some(true))]
#[case::cut("ANA MARIA PRUEBA EJE", Some(true))]
#[case::with_the_sign_of_a_cut("Ana Maria Prue…", Some(true))]
#[case::of_another("Luis Modelo", Some(false))]
#[case::of_a_relative("Luis Prueba", Some(false))]
#[case::a_letter("A", Some(false))]
#[case::a_word_that_many_have("Ana", Some(false))]
#[case::of_signs("...", Some(false))]
#[case::nothing("", None)]
#[case::blank(" \t", None)]
#[case::masked("A** P*****", None)]
#[case::masked_with_bullets("An•• Pru•••", None)]
fn a_name_is_compared_by_its_words(#[case] read: &str, #[case] expected: Option<bool>) {
    assert_eq!(is_same(ReceiptField::Beneficiary, read), expected);
}

#[test]
fn a_proof_without_a_name_tells_nothing_of_it() {
    let written = Written {
        name: "NA",
        ..WRITTEN
    };
    assert_eq!(
        written.beside(ReceiptField::Beneficiary, "Ana Prueba"),
        None
    );
}

#[rstest]
#[case(ReceiptField::Amount, "1e3", AmountError::Exponent.into())]
#[case(ReceiptField::Amount, "0x4d2", AmountError::NotDecimal.into())]
#[case(ReceiptField::Amount, "$1,234.56", AmountError::NotDecimal.into())]
#[case(ReceiptField::Amount, " ", AmountError::NotDecimal.into())]
#[case(ReceiptField::Amount, "1234.560", AmountError::TooManyDecimals.into())]
#[case(ReceiptField::Amount, "-1234.56", AmountError::NotPositive.into())]
#[case(ReceiptField::Account, "****", FieldErrorKind::MaskedDigits)]
#[case(ReceiptField::Account, "****1", FieldErrorKind::MaskedDigits)]
#[case(ReceiptField::Account, "0020****", FieldErrorKind::MaskedDigits)]
#[case(ReceiptField::Account, "", AccountError::Length { digits: 0 }.into())]
#[case(ReceiptField::Account, "7771", AccountError::Length { digits: 4 }.into())]
#[case(ReceiptField::Date, "20/11/2026", DateError::Malformed.into())]
#[case(ReceiptField::TrackingKey, " ", TrackingKeyError::Empty.into())]
#[case(ReceiptField::Receiver, "002", ParticipantError::Malformed.into())]
fn a_value_that_is_none_of_its_field_is_refused(
    #[case] field: ReceiptField,
    #[case] text: &str,
    #[case] problem: FieldErrorKind,
) {
    assert_eq!(
        refused(field, text),
        ReceiptValueProblem::Malformed(problem)
    );
}

#[test]
fn a_value_is_short_and_its_field_is_given_once() {
    let length = MAX_VALUE_LENGTH + 1;
    for field in ReceiptField::ALL {
        let problem = refused(field, &"ñ".repeat(length));
        assert_eq!(problem, ReceiptValueProblem::TooLong { length });
    }
    let values = ["renta", "", "renta"].map(|text| value(ReceiptField::Concept, text));
    let repeated = ReceiptValueError {
        place: 1,
        problem: ReceiptValueProblem::Repeated,
    };
    assert_eq!(compared(&WRITTEN.proof(), &values).err(), Some(repeated));
}

proptest! {
    #[test]
    fn only_the_amount_of_the_proof_is_the_same(centavos in prop_oneof![123_000_u64..124_000, 1..1_000_000_000_000_000_000_u64]) {
        let same = is_same(ReceiptField::Amount, &pesos(centavos));
        prop_assert_eq!(same, Some(centavos == 123_456));
    }

    #[test]
    fn a_mask_is_the_same_only_if_it_shows_the_digits_of_the_account(
        beginning in 0_usize..=6,
        ending in 3_usize..=8,
        place: prop::sample::Index,
        change in 1_u8..10,
    ) {
        let shown = format!("{}{}", &ACCOUNT[..beginning], &ACCOUNT[18 - ending..]);
        let masked = |shown: &str| format!("{}****{}", &shown[..beginning], &shown[beginning..]);
        prop_assert_eq!(is_same(ReceiptField::Account, &masked(&shown)), Some(true));
        let mut edited = shown.into_bytes();
        let place = place.index(edited.len());
        edited[place] = (edited[place] - b'0' + change) % 10 + b'0';
        let edited = String::from_utf8(edited).unwrap();
        prop_assert_eq!(is_same(ReceiptField::Account, &masked(&edited)), Some(false));
    }

    #[test]
    fn no_value_of_few_signs_is_the_same(text in "[*•… .,xX-]{0,12}[0-9A-Za-z]?") {
        let proof = WRITTEN.proof();
        for field in ReceiptField::ALL {
            let compared = compared(&proof, &[value(field, &text)]);
            prop_assert!(compared.ok().into_iter().flatten().all(|it| !it.is_same), "{}", text);
        }
    }

    #[test]
    fn any_text_is_compared_or_refused(text in "\\PC{0,40}") {
        let proof = WRITTEN.proof();
        for field in ReceiptField::ALL {
            let _ = compared(&proof, &[value(field, &text)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_is_read_is_refused(
        lines in prop::collection::vec(
            "(Monto|Total|Fecha|Cuenta destino|Tarjeta|Clave de rastreo|Beneficiario|Banco destino|Banco emisor): \
             ([$]?[0-9]{1,3},[0-9]{3}[.][0-9]{2}|[0-3]?[0-9]/[01]?[0-9]/20[0-9]{2}|[*•x]{1,6} ?[0-9]{1,9}|[0-9]{10,18}|\
             [0-9]{4}[ *•-]{1,6}[0-9]{2,8}|[A-Z]{4}[0-9]{14,26}|BANAMEX|STP|[A-Zñ…. *•]{1,120}|[ -~]{1,40})",
            2..10,
        ),
    ) {
        let receipt = Receipt::read_plain(&lines.join("\n"), day("2026-11-25"), Catalogue::embedded());
        let refused = compared(&WRITTEN.proof(), &values_of(&receipt)).err();
        prop_assert_eq!(refused, None, "{:#?}", receipt);
    }
}
