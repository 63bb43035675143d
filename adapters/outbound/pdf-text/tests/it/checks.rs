//! Checks of the sandbox's files, whose key is known.

use std::sync::{Arc, LazyLock};

use application::ProofCheckService;
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey};
use domain::keys::Environment;
use domain::proofs::check::{CheckOutcome, CheckReport, CheckResult};
use domain::proofs::{Proof, ProofField};
use domain::seals::{NotChecked, SealHash, UncheckedSeal, Verdict};
use pdf_text::PortalPdf;
use rstest::rstest;
use testkit::fakes::ManualClock;
use zip_files::DeflatedZip;

use crate::support::{Files, NOW, drawn, proof, replaced};

static PROOFS: LazyLock<Vec<Files>> = LazyLock::new(|| (0..24).map(proof).collect());

/// The verdict by the sandbox's published key, for the test environment alone.
fn verdict(environment: Environment, proof: &Proof) -> Verdict {
    let unchecked = match UncheckedSeal::of(proof) {
        Ok(unchecked) => unchecked,
        Err(reason) => return Verdict::NotChecked(reason),
    };
    let is_sandbox = unchecked.signer().certificate.as_str() == sandbox::seal::CERTIFICATE_NUMBER;
    if environment == Environment::Live || !is_sandbox {
        return Verdict::NotChecked(NotChecked::UnknownCertificate);
    }
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA512, sandbox::seal::public_key_der());
    let is_repeated = proof.chain.seal() == proof.seal;
    match key.verify(unchecked.text().as_bytes(), unchecked.bytes()) {
        Ok(()) if is_repeated => Verdict::Valid(SealHash::Sha512),
        _ => Verdict::Invalid,
    }
}

/// A clock at the time of the sandbox's proofs.
fn clock() -> ManualClock {
    ManualClock::at(NOW.parse().unwrap())
}

pub(crate) fn check(file: &[u8]) -> CheckReport {
    let service = ProofCheckService::new(
        Arc::new(verdict),
        Arc::new(PortalPdf),
        Arc::new(DeflatedZip),
        Arc::new(clock()),
    );
    service.verify(Environment::Test, file)
}

fn failures(report: &CheckReport) -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let failed = report
        .checks
        .iter()
        .filter(|it| it.result == CheckResult::Failed);
    failed
        .map(|it| {
            let fields = it.fields.iter().map(|field| field.name()).collect();
            (it.name.name(), it.reason.unwrap().name(), fields)
        })
        .collect()
}

#[test]
fn both_files_of_every_proof_of_the_sandbox_are_valid_and_say_the_same() {
    for files in PROOFS.iter() {
        let xml = check(files.xml.as_bytes());
        assert_eq!(xml.outcome(), CheckOutcome::Valid, "{:?}", xml.checks);
        let pdf = check(&files.pdf);
        assert_eq!(pdf.outcome(), CheckOutcome::Valid, "{:?}", pdf.checks);
        let (xml, pdf) = (xml.proof.unwrap(), pdf.proof.unwrap());
        assert_eq!(xml.chain.as_str(), pdf.chain.as_str());
        for field in [ProofField::TrackingKey, ProofField::PayerName] {
            assert_eq!(xml.text(field), pdf.text(field));
        }
    }
}

#[rstest]
#[case::amount(&b"$ 1,234.56"[..], &b"$ 9,234.56"[..], "monto")]
#[case::date(
    b"20 de noviembre de 2026) Tj",
    b"21 de noviembre de 2026) Tj",
    "fecha_abono"
)]
fn a_pdf_whose_visible_text_was_changed_is_found(
    #[case] from: &[u8],
    #[case] to: &[u8],
    #[case] field: &str,
) {
    let changed = replaced(&PROOFS[0].pdf, from, to);
    let report = check(&changed);
    assert!(matches!(report.verdict, Verdict::Valid(_)));
    let [(name, reason, fields)] = &failures(&report)[..] else {
        panic!("one failure: {:?}", report.checks);
    };
    assert_eq!((*name, *reason), ("texto_y_cadena", "campos_cambiados"));
    assert!(fields.contains(&field), "{fields:?}");
}

#[test]
fn a_pdf_with_another_name_is_found() {
    let named = |files: &&Files| {
        let proof = check(&files.pdf).proof.unwrap();
        let name = proof.text(ProofField::PayerName)?;
        let name = name.split(' ').next()?.to_owned();
        let name = Some(name).filter(|name| name.is_ascii() && name.len() >= 3);
        name.map(|name| (files.pdf.clone(), name))
    };
    let (pdf, name) = PROOFS.iter().find_map(|files| named(&files)).unwrap();
    let shown = format!("({name}").into_bytes();
    let mut other = shown.clone();
    other[1..4].copy_from_slice(b"Xyz");
    let report = check(&replaced(&pdf, &shown, &other));
    let [(name, reason, fields)] = &failures(&report)[..] else {
        panic!("one failure: {:?}", report.checks);
    };
    assert_eq!((*name, *reason), ("texto_y_cadena", "campos_cambiados"));
    assert!(fields.contains(&"ordenante.nombre"), "{fields:?}");
}

#[test]
fn a_pdf_whose_chain_was_changed_has_no_valid_seal() {
    let proof = check(&PROOFS[0].pdf).proof.unwrap();
    let time = proof.credit_time().format("|%H%M%S|").to_string();
    let changed = replaced(&PROOFS[0].pdf, time.as_bytes(), b"|235959|");
    let report = check(&changed);
    assert_eq!(report.verdict, Verdict::Invalid);
    assert_eq!(report.outcome(), CheckOutcome::Invalid);
}

#[test]
fn a_pdf_made_from_a_screenshot_is_unreadable_with_its_reason() {
    let picture = drawn("q 600 0 0 800 0 0 cm /I Do Q");
    let report = check(&picture);
    assert_eq!(report.verdict, Verdict::NotChecked(NotChecked::Unreadable));
    assert_eq!(failures(&report), [("estructura", "pdf_sin_texto", vec![])]);
}
