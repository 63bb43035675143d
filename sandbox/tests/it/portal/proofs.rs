//! Downloads: the files of a proof.

use std::io::{Cursor, Read as _};
use std::time::Duration;

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::proof::Proof;
use rstest::rstest;
use sandbox::seal::SealCertificate;

use crate::portal::support::{Answer, Form, NOON, Portal};

async fn fetch(portal: &Portal, form: &Form, format: &str) -> Answer {
    let mut visitor = portal.visitor();
    visitor.validate(form).await;
    visitor.download(format).await
}

#[tokio::test]
async fn each_format_has_its_type_and_its_unquoted_name() {
    let portal = Portal::start().await;
    for (format, media_type, extension, magic) in [
        ("XML", "application/xml", "xml", "<?xml version=\"1.0\""),
        ("PDF", "application/pdf", "pdf", "%PDF-1.5"),
        ("ZIP", "application/zip", "zip", "PK\u{3}\u{4}"),
    ] {
        let answer = fetch(&portal, &Form::new(), format).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), media_type);
        assert_eq!(
            answer.header("content-disposition"),
            format!("attachment; filename=CEP-20261120-MBAN01002611200001234567.{extension}")
        );
        assert!(answer.body.starts_with(magic.as_bytes()));
    }
}

#[tokio::test]
async fn a_transfer_of_the_weekend_has_the_operation_date_in_its_name() {
    let portal = Portal::start().await;
    // A Saturday before a Monday that is a bank holiday (Revolution Day).
    let form = Form::new().with("fecha", "14-11-2026");
    let answer = fetch(&portal, &form, "XML").await;
    assert!(
        answer
            .header("content-disposition")
            .contains("CEP-20261117-")
    );
    assert!(answer.text().contains("FechaOperacion=\"2026-11-17\""));
    assert!(answer.text().contains("|17112026|14112026|"));
}

#[tokio::test]
async fn a_file_name_never_needs_quotes() {
    let portal = Portal::start().await;
    let form = Form::new().with("criterio", "A&B'c d;e");
    let answer = fetch(&portal, &form, "XML").await;
    let name = "attachment; filename=CEP-20261120-ABcde.xml";
    assert_eq!(answer.header("content-disposition"), name);
    assert!(answer.text().contains("claveRastreo=\"A&amp;B'c d;e\""));
}

#[tokio::test]
async fn the_xml_never_changes_and_the_pdf_has_the_time_of_the_query() {
    let today = Portal::start_at(NOON, Duration::ZERO).await;
    let later = Portal::start_at("2027-02-01T02:03:04Z", Duration::ZERO).await;
    let form = Form::new();
    let xml = fetch(&today, &form, "XML").await.body;
    assert_eq!(xml, fetch(&today, &form, "XML").await.body);
    assert_eq!(xml, fetch(&later, &form, "XML").await.body);
    let pdf = fetch(&today, &form, "PDF").await.body;
    assert_eq!(pdf, fetch(&today, &form, "PDF").await.body);
    assert_ne!(pdf, fetch(&later, &form, "PDF").await.body);
}

#[tokio::test]
async fn the_archive_holds_both_files() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    visitor.validate(&Form::new()).await;
    let bytes = visitor.download("ZIP").await.body;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    assert_eq!(archive.len(), 2);
    for format in ["XML", "PDF"] {
        let name = format!(
            "CEP-20261120-MBAN01002611200001234567.{}",
            format.to_lowercase()
        );
        let mut packed = Vec::new();
        archive
            .by_name(&name)
            .unwrap()
            .read_to_end(&mut packed)
            .unwrap();
        assert_eq!(packed, visitor.download(format).await.body);
    }
}

#[tokio::test]
async fn a_magic_amount_brings_the_proof_of_another_transfer() {
    let portal = Portal::start().await;
    let form = Form::new().with("monto", "502.01");
    let answer = fetch(&portal, &form, "XML").await;
    let proof = Proof::parse(&answer.body).unwrap();
    assert_ne!(proof.tracking_key, "MBAN01002611200001234567");
    assert_ne!(proof.centavos, 50_201);
}

#[rstest]
#[case::of_another_text("600.00", SealCertificate::Known, false)]
#[case::with_an_unknown_certificate("600.01", SealCertificate::Unknown, true)]
#[tokio::test]
async fn a_magic_amount_brings_a_seal_that_a_gateway_cannot_accept(
    #[case] amount: &str,
    #[case] certificate: SealCertificate,
    #[case] verifies: bool,
) {
    let portal = Portal::start().await;
    let form = Form::new().with("monto", amount);
    let answer = fetch(&portal, &form, "XML").await;
    let proof = Proof::parse(&answer.body).unwrap();
    assert_eq!(proof.certificate_number, certificate.number());
    assert_eq!(proof.chain.seal(), proof.seal);
    let seal = STANDARD.decode(&proof.seal).unwrap();
    let verified =
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, certificate.public_key_der())
            .verify(proof.chain.signed_text().as_bytes(), &seal);
    assert_eq!(verified.is_ok(), verifies);
}
