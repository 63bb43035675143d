//! Reports of proofs with the chain's separator in a name or in the concept.

use super::*;
use crate::amount::centavos_from_bank_spelling;

/// The eleven texts from the issuer's name to the concept, the VAT and the amount.
type Texts = [&'static str; 13];

const TEXTS: Texts = [
    "BANCO UNO",
    "ANA",
    "40",
    "012180000118359719",
    "XAXX010101000",
    "BANCO DOS",
    "LUIS",
    "40",
    "002180011111111119",
    "PICC800101AB1",
    "Renta",
    "0.00",
    "1234.56",
];
const SECOND_TAIL: &str = "|NA|NA|0|0|NA|0|0.00";
const THIRD_TAIL: &str = "|NA|NA|0|0|NA|0|0.00|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA|NA";

/// The texts with other ones at some places.
fn with(changes: &[(usize, &'static str)]) -> Texts {
    let mut texts = TEXTS;
    for (place, text) in changes {
        texts[*place] = text;
    }
    texts
}

/// The report of somebody who knows the key, of the seal too, on a file whose chain has these texts and this end
/// behind the amount, and which shows these texts.
fn report_of(sealed: Texts, tail: &str, shown: Texts) -> CheckReport {
    let begin = &SIGNED[..SIGNED.find("|BANCO UNO|").unwrap()];
    let chain = format!("{begin}|{}{tail}|{CERTIFICATE}||", sealed.join("|"));
    let mut xml = xml().replace(SIGNED, &chain);
    // The places of what stands in the root come first.
    for ((field, ..), text) in PLACES[4..].iter().zip(shown) {
        set(&mut xml, field, text);
    }
    CheckReport::of_xml(xml.as_bytes(), |_| Verdict::Valid(SealHash::Sha512))
}

fn untouched(sealed: Texts, tail: &str) -> CheckReport {
    report_of(sealed, tail, sealed)
}

#[rstest]
#[case::first("")]
#[case::second(SECOND_TAIL)]
#[case::third(THIRD_TAIL)]
fn a_chain_of_each_generation_is_read_in_one_way(
    #[case] tail: &'static str,
    #[values(
        TEXTS,
        with(&[(1, "NA"), (2, "NA"), (3, "NA"), (4, "NA")]),
        with(&[(2, "-1"), (3, "ND"), (7, "03"), (8, "4111111111111111"), (9, "")]),
        with(&[(11, "16.00"), (12, "000000000000116")]),
        with(&[(10, "Renta | luz")]),
        with(&[(10, "|")]),
        with(&[(6, "LUIS|SA")]),
        with(&[(6, "LUIS|40|CALLE UNO")]),
        with(&[(1, "A|N|A")])
    )]
    texts: Texts,
) {
    let report = untouched(texts, tail);
    assert_eq!(report.outcome(), CheckOutcome::Valid);
    let proof = report.proof.unwrap();
    assert!(proof.uncertain_fields().is_empty());
    assert_eq!(proof.covered_fields(), sealed_fields());
}

#[rstest]
#[case::amount_of_the_second_generation(
    with(&[(10, "r|0.00|9999.00|||||")]),
    "",
    with(&[(10, "r"), (11, "0.00"), (12, "9999.00")]),
    &[
        "ordenante.nombre", "ordenante.cuenta", "ordenante.rfc_curp", "receptor.nombre", "beneficiario.nombre",
        "beneficiario.tipo_cuenta", "beneficiario.cuenta", "beneficiario.rfc_curp", "concepto", "monto",
    ]
)]
#[case::amount_of_the_first_generation(
    with(&[(10, "renta|0.00|9999999.00"), (11, "16.50")]),
    "",
    with(&[(10, "renta"), (11, "0.00"), (12, "9999999.00")]),
    &["concepto", "iva", "monto"]
)]
#[case::amount_beside_a_vat_that_is_no_number(
    with(&[(10, "r|0.00|9999.00|||||"), (11, "-")]),
    "",
    with(&[(10, "r"), (11, "0.00"), (12, "9999.00")]),
    &[
        "ordenante.nombre", "ordenante.cuenta", "ordenante.rfc_curp", "receptor.nombre", "beneficiario.nombre",
        "beneficiario.tipo_cuenta", "beneficiario.cuenta", "beneficiario.rfc_curp", "concepto", "iva", "monto",
    ]
)]
#[case::account_from_the_concept(
    with(&[(10, "BANCO X|T SA|40|002010077777777771||x")]),
    SECOND_TAIL,
    with(&[
        (1, "ANA|40|012180000118359719|XAXX010101000|BANCO DOS|LUIS"), (2, "40"),
        (3, "002180011111111119"), (4, "PICC800101AB1"), (5, "BANCO X"), (6, "T SA"),
        (8, "002010077777777771"), (9, ""), (10, "x"),
    ]),
    &[
        "ordenante.nombre", "ordenante.cuenta", "ordenante.rfc_curp", "receptor.nombre",
        "beneficiario.nombre", "beneficiario.cuenta", "beneficiario.rfc_curp", "concepto",
    ]
)]
#[case::beneficiary_account_from_the_concept(
    with(&[(10, "40|002010077777777771|R|x")]),
    THIRD_TAIL,
    with(&[(6, "LUIS|40|002180011111111119|PICC800101AB1"), (8, "002010077777777771"), (9, "R"), (10, "x")]),
    &["beneficiario.nombre", "beneficiario.cuenta", "beneficiario.rfc_curp", "concepto"]
)]
#[case::amount_of_a_generation_to_come(
    with(&[(10, "r|0.00|9999.00")]),
    SECOND_TAIL,
    with(&[(10, "r"), (11, "0.00"), (12, "9999.00")]),
    &["concepto", "monto"]
)]
fn what_can_be_read_in_two_ways_is_never_valid_nor_sealed(
    #[case] sealed: Texts,
    #[case] tail: &'static str,
    #[case] shown: Texts,
    #[case] doubtful: &[&str],
) {
    for shown in [sealed, shown] {
        let report = report_of(sealed, tail, shown);
        assert_eq!(report.outcome(), CheckOutcome::NotChecked);
        let expected = ("atributos_y_cadena", "lugares_inciertos", doubtful.to_vec());
        assert_eq!(findings(&report), [expected]);
        let proof = report.proof.unwrap();
        let certain = sealed_fields().into_iter();
        let certain = certain.filter(|name| !doubtful.contains(name));
        assert!(certain.eq(proof.covered_fields()));
        let mut other = shown;
        other[12] = "555.00";
        let forged = report_of(sealed, tail, other);
        assert_eq!(forged.outcome(), CheckOutcome::Invalid);
    }
}

#[rstest]
#[case::zero_by_the_first_generation(
    TEXTS,
    SECOND_TAIL,
    with(&[(10, "Renta|0.00|1234.56|NA|NA|0|0|NA"), (11, "0"), (12, "0.00")])
)]
#[case::bar_dropped(with(&[(10, "pedido|1")]), SECOND_TAIL, with(&[(10, "pedido"), (12, "999999.00")]))]
#[case::bar_added(TEXTS, SECOND_TAIL, with(&[(10, "Renta|0.00")]))]
#[case::amount(with(&[(10, "a|b")]), "", with(&[(10, "a|b"), (12, "9999.00")]))]
fn fields_that_follow_no_reading_of_the_chain_are_altered(
    #[case] sealed: Texts,
    #[case] tail: &'static str,
    #[case] shown: Texts,
) {
    let report = report_of(sealed, tail, shown);
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
    let attributes = report.check(CheckName::Attributes).unwrap();
    assert_eq!(attributes.result, CheckResult::Failed);
}

#[test]
fn behind_a_length_that_no_generation_has_nothing_is_certain() {
    let report = untouched(TEXTS, "|NA|NA|0|0|NA|0|0.00|NA");
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    let uncertain = report.proof.unwrap().uncertain_fields();
    assert_eq!(uncertain, ProofField::ALL[6..18]);
    let bars = "|".repeat(200);
    let report = untouched(with(&[(10, bars.leak())]), SECOND_TAIL);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
}

/// A text that a payer may choose.
fn free_text() -> impl Strategy<Value = String> {
    let parts = ["", "a", "NA", "40", "10", "0.00", "9.50", "5512345678"];
    let part = prop::sample::select(parts.to_vec());
    prop::collection::vec(part, 1..10).prop_map(|parts| parts.join("|"))
}

/// A spelling of the first text, in which most banks write it, or of the others.
fn spelling(spellings: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(spellings[0]), prop::sample::select(spellings)]
}

proptest! {
    #[test]
    fn every_certain_field_is_the_sealed_one(
        (payer, name, concept) in (free_text(), free_text(), free_text()),
        kind in spelling(&["40", "-", "3"]),
        account in spelling(&["012180000118359719", "012-180", "Núm.1", "55 1234 5678"]),
        vat in spelling(&["0.00", "-", "0,00", "$0.00", "1e1", "1E1"]),
        amount in spelling(&["1234.56", ".50", "1.", "$1,234.56", "+1234.56", "1.005"]),
        tail in prop::sample::select(vec!["", SECOND_TAIL, THIRD_TAIL]),
    ) {
        let [payer, name, concept] = [payer, name, concept].map(|text| &*text.leak());
        let sealed = with(&[
            (1, payer), (2, kind), (3, account), (6, name), (10, concept), (11, vat), (12, amount),
        ]);
        let centavos = centavos_from_bank_spelling(amount);
        // Of an amount in another spelling the file is unreadable: its attributes say another one.
        let shown = if centavos.is_none() { "1234.56" } else { amount };
        let shown = std::array::from_fn(|place| if place == 12 { shown } else { sealed[place] });
        let report = report_of(sealed, tail, shown);
        if (vat, centavos) == ("0.00", Some(123_456)) {
            prop_assert_ne!(report.outcome(), CheckOutcome::Invalid);
        }
        let proof = report.proof.unwrap();
        let uncertain = proof.uncertain_fields();
        let shown = |field| !uncertain.contains(&field);
        let sealed = proof.chain.values();
        if shown(ProofField::Amount) {
            prop_assert_eq!(sealed.centavos(ProofField::Amount), centavos);
        }
        if shown(ProofField::BeneficiaryAccount) {
            prop_assert_eq!(sealed.text(ProofField::BeneficiaryAccount), Some(TEXTS[8]));
        }
        for field in [ProofField::PayerName, ProofField::Concept] {
            if shown(field) {
                prop_assert_eq!(sealed.text(field), proof.text(field));
            }
        }
    }
}
