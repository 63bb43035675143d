//! Reports of proofs that were changed in one place or another, and the fields that their seals cover.

use std::slice;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::proofs::notice::NoticeCode;
use crate::seals::{NotChecked, SealHash, UncheckedSeal, Verdict};

mod bank;
mod other_documents;
mod printed;

const SIGNED: &str = "||1|23112026|20112026|180230|40014|BANCO UNO|Ana Prueba|40|012180000118359719|\
    XAXX010101000|BANCO DOS|Luis Ejemplo|03|4111111111111111|ND|Pago de prueba|0.00|1234.56|NA|NA|0|0|\
    NA|0|0.00|00001000000500000001||";
const CERTIFICATE: &str = "00001000000500000001";

fn seal() -> String {
    STANDARD.encode([7; 256])
}

fn xml() -> String {
    let seal = seal();
    format!(
        r#"<SPEI_Tercero FechaOperacion="2026-11-23" Hora="18:02:30" ClaveSPEI="40014" sello="{seal}" numeroCertificado="{CERTIFICATE}" cadenaCDA="{SIGNED}{seal}" claveRastreo="PRUEBA0001">
        <Beneficiario BancoReceptor="BANCO DOS" Nombre="Luis Ejemplo" TipoCuenta="03" Cuenta="4111111111111111" RFC="ND" Concepto="Pago de prueba" IVA="0.00" MontoPago="1234.56"/>
        <Ordenante BancoEmisor="BANCO UNO" Nombre="Ana Prueba" TipoCuenta="40" Cuenta="012180000118359719" RFC="XAXX010101000"/>
        </SPEI_Tercero>"#
    )
}

/// The element and the attribute of each field.
const PLACES: [(&str, &str, &str); 17] = [
    ("fecha_operacion", "SPEI_Tercero", "FechaOperacion"),
    ("hora_abono", "SPEI_Tercero", "Hora"),
    ("receptor.codigo", "SPEI_Tercero", "ClaveSPEI"),
    ("clave_rastreo", "SPEI_Tercero", "claveRastreo"),
    ("emisor.nombre", "Ordenante", "BancoEmisor"),
    ("ordenante.nombre", "Ordenante", "Nombre"),
    ("ordenante.tipo_cuenta", "Ordenante", "TipoCuenta"),
    ("ordenante.cuenta", "Ordenante", "Cuenta"),
    ("ordenante.rfc_curp", "Ordenante", "RFC"),
    ("receptor.nombre", "Beneficiario", "BancoReceptor"),
    ("beneficiario.nombre", "Beneficiario", "Nombre"),
    ("beneficiario.tipo_cuenta", "Beneficiario", "TipoCuenta"),
    ("beneficiario.cuenta", "Beneficiario", "Cuenta"),
    ("beneficiario.rfc_curp", "Beneficiario", "RFC"),
    ("concepto", "Beneficiario", "Concepto"),
    ("iva", "Beneficiario", "IVA"),
    ("monto", "Beneficiario", "MontoPago"),
];

/// Sets the value that a file shows of a field, and leaves its chain as it is.
fn set(xml: &mut String, field: &str, value: &str) {
    let place = PLACES.iter().find(|(name, ..)| *name == field);
    let (_, element, attribute) = place.unwrap();
    let (element, attribute) = (format!("<{element} "), format!(" {attribute}=\""));
    let element = xml.find(&element).unwrap();
    let begin = element + xml[element..].find(&attribute).unwrap() + attribute.len();
    let end = begin + xml[begin..].find('"').unwrap();
    xml.replace_range(begin..end, value);
}

/// Sets another value than before.
fn edit(xml: &mut String, field: &str, value: &str) {
    let before = xml.clone();
    set(xml, field, value);
    assert_ne!(*xml, before, "{field} said so already");
}

/// A file of which these fields were edited.
fn edited_all(fields: &[(&str, &str)]) -> String {
    let mut xml = xml();
    for (field, value) in fields {
        edit(&mut xml, field, value);
    }
    xml
}

fn edited(field: &str, value: &str) -> String {
    edited_all(&[(field, value)])
}

/// The verdict of somebody who knows the key: the text and the seal are those that were signed.
fn known(proof: &Proof) -> Verdict {
    let Ok(unchecked) = UncheckedSeal::of(proof) else {
        return Verdict::NotChecked(NotChecked::Unreadable);
    };
    if unchecked.signer().certificate.as_str() != CERTIFICATE {
        return Verdict::NotChecked(NotChecked::UnknownCertificate);
    }
    let is_signed = unchecked.text() == SIGNED
        && unchecked.bytes() == [7; 256]
        && proof.chain.seal() == proof.seal;
    if is_signed {
        Verdict::Valid(SealHash::Sha512)
    } else {
        Verdict::Invalid
    }
}

fn unknown(_: &Proof) -> Verdict {
    Verdict::NotChecked(NotChecked::UnknownCertificate)
}

fn report(xml: &str) -> CheckReport {
    CheckReport::of_xml(xml.as_bytes(), known)
}

#[rstest]
#[case::an_element("<Beneficiario ", "<Nota>9,999,555.00</Nota><Beneficiario ")]
#[case::a_nested_element(
    "MontoPago=\"1234.56\"/>",
    "MontoPago=\"1234.56\"><Ordenante/></Beneficiario>"
)]
#[case::an_attribute("MontoPago=", "Monto=\"9234.56\" MontoPago=")]
#[case::a_namespace(
    "<SPEI_Tercero ",
    "<SPEI_Tercero xmlns=\"http://www.w3.org/1999/xhtml\" "
)]
#[case::a_prefix("<SPEI_Tercero ", "<SPEI_Tercero xmlns:a=\"urn:a\" ")]
#[case::text("<Beneficiario ", "$ 9,999,555.00<Beneficiario ")]
#[case::a_comment("<Beneficiario ", "<!-- $ 9,999,555.00 --><Beneficiario ")]
#[case::a_style("<SPEI_Tercero ", "<?xml-stylesheet href=\"a.css\"?><SPEI_Tercero ")]
#[case::an_encoding(
    "<SPEI_Tercero ",
    "<?xml version=\"1.0\" encoding=\"windows-1251\"?><SPEI_Tercero "
)]
fn a_file_that_holds_more_than_a_bank_writes_is_never_valid(#[case] from: &str, #[case] to: &str) {
    assert_eq!(report(&xml()).outcome(), CheckOutcome::Valid);
    let more = report(&xml().replacen(from, to, 1));
    let structure = more.check(CheckName::Structure).unwrap();
    assert_eq!(structure.reason, Some(CheckReason::ForeignContent));
    assert_eq!(more.outcome(), CheckOutcome::NotChecked);
    let declared = format!("<?xml version='1.0' encoding='utf-8'?>\r\n{}", xml());
    assert_eq!(report(&declared).outcome(), CheckOutcome::Valid);
}

/// A check that isn't `ok`, its reason and its fields.
type Finding = (&'static str, &'static str, Vec<&'static str>);

const UNKNOWN_CERTIFICATE: Finding = ("sello", "certificado_desconocido", vec![]);

/// All checks that aren't `ok`, but that of the tracking key.
fn findings(report: &CheckReport) -> Vec<Finding> {
    if let Some(tracking) = report.check(CheckName::TrackingKey) {
        assert_eq!(tracking.result, CheckResult::NotChecked);
        assert_eq!(tracking.fields, [ProofField::TrackingKey]);
    }
    report
        .checks
        .iter()
        .filter(|it| it.result != CheckResult::Ok && it.name != CheckName::TrackingKey)
        .map(|it| {
            let fields = it.fields.iter().map(|field| field.name()).collect();
            (it.name.name(), it.reason.unwrap().name(), fields)
        })
        .collect()
}

/// Names of all fields that a seal covers.
fn sealed_fields() -> Vec<&'static str> {
    ProofField::sealed().map(ProofField::name).collect()
}

#[test]
fn the_seal_covers_each_field_but_the_tracking_key() {
    let unsealed = ProofField::UNSEALED.into_iter();
    assert!(ProofField::sealed().chain(unsealed).eq(ProofField::ALL));
    assert_eq!(ProofField::sealed().count(), 18);
}

#[test]
fn an_untouched_proof_passes_every_check_of_what_is_sealed() {
    let report = report(&xml());
    assert_eq!(report.outcome(), CheckOutcome::Valid);
    assert!(findings(&report).is_empty());
    let names: Vec<&str> = report.checks.iter().map(|it| it.name.name()).collect();
    let expected = "estructura atributos_y_cadena sello sello_repetido certificado clave_rastreo";
    assert_eq!(names.join(" "), expected);
    assert_eq!(report.proof.unwrap().covered_fields(), sealed_fields());
}

#[test]
fn without_the_key_nothing_is_said_against_a_proof() {
    let report = CheckReport::of_xml(xml().as_bytes(), unknown);
    assert_eq!(report.outcome(), CheckOutcome::NotChecked);
    assert_eq!(findings(&report), [UNKNOWN_CERTIFICATE]);
}

#[rstest]
#[case::of_the_root(&[
    ("fecha_operacion", "2026-11-24"), ("hora_abono", "18:02:31"), ("receptor.codigo", "40072"),
])]
#[case::of_the_payer(&[
    ("emisor.nombre", "BANCO DOS"), ("ordenante.nombre", "Ana  Prueba"), ("ordenante.rfc_curp", "NA"),
    ("ordenante.tipo_cuenta", "10"), ("ordenante.cuenta", "012180000118359710"),
])]
#[case::of_the_beneficiary(&[
    ("receptor.nombre", "B"), ("beneficiario.nombre", "Luis Ejempl0"), ("beneficiario.tipo_cuenta", "40"),
    ("beneficiario.cuenta", "4111111111111112"), ("beneficiario.rfc_curp", "XEXX010101000"),
])]
#[case::of_the_payment(&[
    ("concepto", "Renta"), ("concepto", "Pago|de"), ("iva", "0.01"), ("monto", "9234.56"),
])]
fn a_changed_attribute_is_named_and_covered_by_no_seal(#[case] changes: &[(&'static str, &str)]) {
    for (field, value) in changes {
        let forged = edited(field, value);
        let checked = report(&forged);
        assert_eq!(checked.verdict, Verdict::Valid(SealHash::Sha512));
        assert_eq!(checked.outcome(), CheckOutcome::Invalid);
        let expected = ("atributos_y_cadena", "campos_cambiados", vec![*field]);
        assert_eq!(findings(&checked), [expected]);
        let covered = checked.proof.unwrap().covered_fields();
        let others = sealed_fields().into_iter().filter(|name| name != field);
        assert!(others.eq(covered));
        // Without the key, nobody knows which of the two is true.
        let checked = CheckReport::of_xml(forged.as_bytes(), unknown);
        assert_eq!(checked.outcome(), CheckOutcome::Invalid);
        let expected = ("atributos_y_cadena", "contradiccion", vec![*field]);
        assert_eq!(findings(&checked)[0], expected);
    }
}

#[test]
fn a_change_of_the_chain_or_of_another_seal_or_certificate_is_told_from_one_of_the_attributes() {
    let found = |from: &str, to: &str| findings(&report(&xml().replace(from, to)));
    let contradiction = ("atributos_y_cadena", "contradiccion", vec!["monto"]);
    let broken = ("sello", "cadena_cambiada", vec![]);
    assert_eq!(found("|1234.56|", "|9234.56|"), [contradiction, broken]);
    // The amount in both.
    let of_other: Finding = ("sello", "cadena_y_campos_cambiados_u_otro_sello", vec![]);
    assert_eq!(found("1234.56", "9234.56"), slice::from_ref(&of_other));

    let (seal, other) = (seal(), STANDARD.encode([8; 256]));
    assert_eq!(found(&seal, &other), slice::from_ref(&of_other));
    let [seal, other] = [seal, other].map(|seal| format!("sello=\"{seal}"));
    let repeated = ("sello_repetido", "otro_sello", vec![]);
    assert_eq!(found(&seal, &other), [of_other, repeated]);

    let numbers = [CERTIFICATE, "00001000000500000002"];
    let differs: Finding = ("certificado", "otro_certificado", vec![]);
    let [number, other] = numbers.map(|number| format!("numeroCertificado=\"{number}"));
    assert_eq!(found(&number, &other), slice::from_ref(&differs));
    let [number, other] = numbers.map(|number| format!("|{number}||"));
    assert_eq!(found(&number, &other), [UNKNOWN_CERTIFICATE, differs]);
}

#[test]
fn another_spelling_of_the_amount_is_the_same_amount() {
    let spelt = edited("monto", "0001234.560");
    assert_eq!(report(&spelt).outcome(), CheckOutcome::Valid);
}

#[test]
fn the_chain_of_another_payment_is_told_from_changed_fields() {
    let fields = [
        ("beneficiario.nombre", "Eva Muestra"),
        ("beneficiario.cuenta", "4111111111111129"),
        ("concepto", "Renta"),
        ("monto", "5000.00"),
    ];
    let forged = edited_all(&fields);
    let fields = fields.map(|(field, _)| field).to_vec();
    let expected = ("atributos_y_cadena", "cadena_de_otro_pago", fields);
    assert_eq!(findings(&report(&forged)), [expected]);
}

#[test]
fn a_changed_tracking_key_is_named_as_unsealed() {
    let report = report(&edited("clave_rastreo", "PRUEBA0002"));
    assert_eq!(report.outcome(), CheckOutcome::Valid);
    let check = report.check(CheckName::TrackingKey).unwrap();
    let unsealed = (CheckResult::NotChecked, Some(CheckReason::Unsealed));
    assert_eq!((check.result, check.reason), unsealed);
    assert_eq!(report.proof.unwrap().covered_fields(), sealed_fields());
}

mod separated;

#[test]
fn a_file_is_shown_once_more_unless_it_is_refused_or_has_no_seal() {
    let counts = |xml: &str| CheckReport::of_xml(xml.as_bytes(), unknown).counts_as_shown();
    assert!(counts(&xml()));
    assert!(!counts(&edited("monto", "9234.56")));
    let chain_alone = xml().replace(&seal(), "");
    assert!(!counts(&chain_alone));
}

#[rstest]
#[case::another_alphabet("МBAN01002611200000000001", CheckResult::Failed)]
#[case::markup("&lt;script&gt;alert(1)&lt;/script&gt;", CheckResult::Failed)]
#[case::direction("\u{202e}NABM01", CheckResult::Failed)]
#[case::control("MBAN0100&#9;2611", CheckResult::Failed)]
#[case::too_long("MBAN010026112000000000010000001", CheckResult::Failed)]
#[case::a_sentence("TOTAL PAGADO $ 99,999.00 MXN", CheckResult::NotChecked)]
#[case::words("TOTAL PAGADO 99999 MXN", CheckResult::NotChecked)]
#[case::without_a_digit("PAGADO", CheckResult::NotChecked)]
#[case::a_blank_around(" PRUEBA0001", CheckResult::NotChecked)]
fn a_tracking_key_that_no_bank_writes_is_never_valid(
    #[case] key: &str,
    #[case] result: CheckResult,
) {
    let report = report(&edited("clave_rastreo", key));
    let check = report.check(CheckName::TrackingKey).unwrap();
    let foreign = Some(CheckReason::ForeignTrackingKey);
    assert_eq!((check.result, check.reason), (result, foreign));
    assert_ne!(report.outcome(), CheckOutcome::Valid);
    let notices = report.notices().into_iter().map(|notice| notice.code);
    assert!(notices.eq([NoticeCode::UnsealedNotCompared]));
}

#[rstest]
#[case("MBAN01002611200000000001")]
#[case("058-20/11/2026/20-001AB12345")]
#[case("2026112040014BET 0000412345678")]
#[case("20261120400140 12AB 34CD")]
#[case("HSBC123456")]
fn tracking_keys_of_banks_are_good(#[case] key: &str) {
    let report = report(&edited("clave_rastreo", key));
    assert_eq!(report.outcome(), CheckOutcome::Valid);
}

#[test]
fn debug_shows_nothing_personal() {
    let shown = format!("{:?}", report(&xml()));
    for personal in ["Prueba", "Ejemplo", "4111", "0121", "XAXX", "1234"] {
        assert!(!shown.contains(personal), "{personal} in {shown}");
    }
}

/// A byte that is no markup, and may stand in any field.
fn harmless() -> impl Strategy<Value = u8> {
    prop::sample::select(&b"0123456789ABCZaz .|"[..])
}

proptest! {
    #[test]
    fn any_changed_byte_of_the_sealed_text_makes_a_proof_invalid(
        place in 0..SIGNED.len(), byte in harmless(),
    ) {
        prop_assume!(SIGNED.as_bytes()[place] != byte);
        let xml = xml();
        let at = xml.find(SIGNED).unwrap() + place;
        let mut forged = xml.into_bytes();
        forged[at] = byte;
        let report = CheckReport::of_xml(&forged, known);
        prop_assert_eq!(report.outcome(), CheckOutcome::Invalid);
        prop_assert!(!matches!(report.verdict, Verdict::Valid(_)));
    }

    #[test]
    fn any_file_is_checked_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let report = CheckReport::of_xml(&bytes, known);
        prop_assert_eq!(report.outcome(), CheckOutcome::Invalid);
    }

    #[test]
    fn a_damaged_proof_is_checked_without_panic(place in 0_usize..2_500, byte in any::<u8>()) {
        let mut xml = xml().into_bytes();
        if let Some(damaged) = xml.get_mut(place) {
            *damaged = byte;
        }
        let _ = CheckReport::of_xml(&xml, known);
    }
}
