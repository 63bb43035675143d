//! Downloads: the files of a proof.

use std::io::{Cursor, Read as _};
use std::time::Duration;

use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::proofs::Proof;
use rstest::rstest;
use sandbox::seal::SealCertificate;

use crate::portal::support::{Form, Portal, downloaded};

#[tokio::test]
async fn each_format_has_its_type_and_its_unquoted_name() {
    for (format, media_type, extension, magic) in [
        ("XML", "application/xml", "xml", "<?xml version=\"1.0\""),
        ("PDF", "application/pdf", "pdf", "%PDF-1.5"),
        ("ZIP", "application/zip", "zip", "PK\u{3}\u{4}"),
    ] {
        let answer = downloaded(&Form::new(), format).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), media_type);
        let name = format!("CEP-20261120-MBAN01002611200001234567.{extension}");
        let disposition = format!("attachment; filename={name}");
        assert_eq!(answer.header("content-disposition"), disposition);
        assert!(answer.body.starts_with(magic.as_bytes()));
    }
}

#[tokio::test]
async fn a_transfer_of_the_weekend_has_the_operation_date_in_its_name() {
    // A Saturday before a Monday that is a bank holiday (Revolution Day).
    let answer = downloaded(&Form::new().with("fecha", "14-11-2026"), "XML").await;
    let disposition = answer.header("content-disposition");
    assert!(disposition.contains("CEP-20261117-"), "{disposition}");
    assert!(answer.text().contains("FechaOperacion=\"2026-11-17\""));
    assert!(answer.text().contains("|17112026|14112026|"));
}

#[tokio::test]
async fn a_file_name_never_needs_quotes() {
    let answer = downloaded(&Form::new().with("criterio", "A&B'c d;e"), "XML").await;
    let name = "attachment; filename=CEP-20261120-ABcde.xml";
    assert_eq!(answer.header("content-disposition"), name);
    assert!(answer.text().contains("claveRastreo=\"A&amp;B'c d;e\""));
}

#[tokio::test]
async fn the_xml_never_changes_and_the_pdf_has_the_time_of_the_query() {
    let later = Portal::start_at("2027-02-01T02:03:04Z", Duration::ZERO).await;
    for (format, is_the_same) in [("XML", true), ("PDF", false)] {
        let today = downloaded(&Form::new(), format).await.body;
        assert_eq!(today, downloaded(&Form::new(), format).await.body);
        let later = later.visitor().fetch(&Form::new(), format).await.body;
        assert_eq!(today == later, is_the_same, "{format}");
    }
}

#[tokio::test]
async fn the_archive_holds_both_files() {
    let portal = Portal::start().await;
    let mut visitor = portal.visitor();
    let bytes = visitor.fetch(&Form::new(), "ZIP").await.body;
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    assert_eq!(archive.len(), 2);
    for (format, extension) in [("XML", "xml"), ("PDF", "pdf")] {
        let name = format!("CEP-20261120-MBAN01002611200001234567.{extension}");
        let mut packed = Vec::new();
        let mut entry = archive.by_name(&name).unwrap();
        entry.read_to_end(&mut packed).unwrap();
        assert_eq!(packed, visitor.download(format).await.body);
    }
}

#[tokio::test]
async fn a_magic_amount_brings_the_proof_of_another_transfer() {
    let answer = downloaded(&Form::of("502.01"), "XML").await;
    let proof = Proof::parse(&answer.body).unwrap();
    assert_ne!(proof.tracking_key(), "MBAN01002611200001234567");
    assert_ne!(proof.centavos(), 50_201);
}

#[rstest]
#[case::of_another_text("600.00", SealCertificate::Known, false)]
#[case::with_an_unknown_certificate("600.01", SealCertificate::Unknown, true)]
#[case::of_another_text_with_an_unknown_certificate("600.02", SealCertificate::Unknown, false)]
#[case::for_an_answer_of_the_validator("600.03", SealCertificate::Unknown, true)]
#[tokio::test]
async fn a_magic_amount_brings_a_seal_that_a_gateway_cannot_accept(
    #[case] amount: &str,
    #[case] certificate: SealCertificate,
    #[case] verifies: bool,
) {
    let answer = downloaded(&Form::of(amount), "XML").await;
    let proof = Proof::parse(&answer.body).unwrap();
    assert_eq!(proof.certificate_number, certificate.number());
    assert_eq!(proof.chain.seal(), proof.seal);
    let seal = STANDARD.decode(&proof.seal).unwrap();
    let verified =
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, certificate.public_key_der())
            .verify(proof.chain.signed_text().as_bytes(), &seal);
    assert_eq!(verified.is_ok(), verifies);
}
