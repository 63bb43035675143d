//! Reports of files that are no proofs, and what they count in a total.

use super::*;

#[test]
fn a_file_that_should_be_a_proof_counts_in_the_total() {
    use CheckReason::{EncryptedEntry, Form, Invoice, NestedZip, Picture, PlainText, TooLarge};
    let (valid, invalid) = (Some(CheckOutcome::Valid), Some(CheckOutcome::Invalid));
    let altered = report(&edited("monto", "$9,999.00"));
    assert_eq!(altered.outcome_in_total(), invalid);
    assert_eq!(report(&xml()).outcome_in_total(), valid);
    let of = |reason| CheckReport::of_other(reason).outcome_in_total();
    assert_eq!([Picture, Invoice, PlainText].map(of), [None; 3]);
    assert_eq!(
        [EncryptedEntry, Form, TooLarge, NestedZip].map(of),
        [invalid; 4]
    );
}

#[rstest]
#[case::picture(CheckReason::Picture, "CEP.pdf", Some("no_es_pdf"))]
#[case::web_page(CheckReason::WebPage, "a/CEP.XML", Some("no_es_xml"))]
#[case::picture_of_its_own_name(CheckReason::Picture, "CEP.png", None)]
#[case::invoice(CheckReason::Invoice, "A-123.xml", None)]
#[case::encrypted(CheckReason::EncryptedEntry, "CEP.pdf", Some("archivo_cifrado"))]
fn a_document_that_is_named_as_a_proof_counts_as_one_that_is_unreadable(
    #[case] reason: CheckReason,
    #[case] name: &str,
    #[case] counted: Option<&str>,
) {
    let report = CheckReport::of_other(reason).of_named(name);
    let outcome = report.outcome_in_total();
    assert_eq!(outcome, counted.map(|_| CheckOutcome::Invalid));
    let expected = counted.unwrap_or(reason.name());
    assert_eq!(findings(&report)[0].1, expected);
    let proof = self::report(&xml()).of_named("CEP.pdf");
    assert_eq!(proof.outcome_in_total(), Some(CheckOutcome::Valid));
}

#[rstest]
#[case("no xml", "no_es_xml", None)]
#[case("<!DOCTYPE SPEI_Tercero><SPEI_Tercero/>", "tipo_de_documento", None)]
#[case("<SPEI_Primero/>", "otra_raiz", None)]
#[case("<SPEI_Tercero/>", "falta_un_dato", Some("Beneficiario"))]
fn what_is_no_proof_fails_in_its_structure(
    #[case] xml: &str,
    #[case] reason: &str,
    #[case] element: Option<&str>,
) {
    let report = report(xml);
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
    assert_eq!(report.proof, None);
    let [check] = &report.checks[..] else {
        panic!("one check");
    };
    assert_eq!(check.name, CheckName::Structure);
    assert_eq!(check.reason.unwrap().name(), reason);
    assert_eq!(check.element, element);
}

#[test]
fn a_file_of_more_than_a_mebibyte_is_not_read() {
    let xml = format!("{}{}", xml(), " ".repeat(MAX_FILE_BYTES));
    assert_eq!(findings(&report(&xml))[0].1, "archivo_muy_grande");
}
