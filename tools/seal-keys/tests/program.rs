//! The program itself, with seals of the sandbox's published keys.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use aws_lc_rs::digest::{SHA512, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA512;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::hex;
use rstest::rstest;
use sandbox::seal::SealCertificate;
use serde_json::{Value, json};

/// A sealed original chain of a made-up transfer to Banamex (40002).
struct Sealed {
    certificate: &'static str,
    chain: String,
    seal: String,
}

impl Sealed {
    fn new(number: usize, certificate: SealCertificate) -> Self {
        let key: &[u8] = match certificate {
            SealCertificate::Known => include_bytes!("../../../sandbox/keys/seal.pk8"),
            SealCertificate::Unknown => include_bytes!("../../../sandbox/keys/seal-unknown.pk8"),
        };
        let certificate = certificate.number();
        let party = "NA|NA|NA|NA";
        let chain = format!(
            "||1|20112026|20112026|105336|40002|BBVA MEXICO|{party}|BANAMEX|{party}|PRUEBA|0.00|\
             {number}.00|{certificate}||"
        );
        let mut seal = [0; 256];
        let (key, random) = (KeyPair::from_pkcs8(key).unwrap(), SystemRandom::new());
        let signed = key.sign(&RSA_PKCS1_SHA512, &random, chain.as_bytes(), &mut seal);
        signed.unwrap();
        Self {
            certificate,
            chain,
            seal: STANDARD.encode(seal),
        }
    }

    fn line(&self) -> Value {
        json!({
            "participant": "40002",
            "certificate": self.certificate,
            "digest": hex::encode(digest(&SHA512, self.chain.as_bytes()).as_ref()),
            "seal": self.seal,
        })
    }

    fn xml(&self) -> String {
        let (certificate, chain, seal) = (self.certificate, &self.chain, &self.seal);
        let amount = chain.split('|').nth(19).unwrap();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<SPEI_Tercero FechaOperacion=\"2026-11-20\" \
             Hora=\"10:53:36\" ClaveSPEI=\"40002\" sello=\"{seal}\" numeroCertificado=\"{certificate}\" \
             cadenaCDA=\"{chain}{seal}\" claveRastreo=\"PRUEBA{amount}\">\r\n\
             <Beneficiario BancoReceptor=\"BANAMEX\" MontoPago=\"{amount}\"/>\r\n</SPEI_Tercero>"
        )
    }
}

fn run(files: &[&str], input: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_seal-keys"))
        .args(files)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that has ended before it read all is no failure of the test.
    let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
    program.wait_with_output().unwrap()
}

fn told(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

/// What the program says when it refuses its input.
fn refused(files: &[&str], input: &str) -> String {
    let output = run(files, input);
    assert_eq!(output.status.code(), Some(2));
    told(&output).to_owned()
}

/// The line of a recovered key, with the modulus of the certificate's published key.
fn confirmed_key(certificate: SealCertificate) -> Value {
    let der = certificate.public_key_der();
    // A `SubjectPublicKeyInfo` of 2,048 bits ends with the modulus and `02 03 01 00 01`.
    let modulus = &der[der.len() - 5 - 256..der.len() - 5];
    json!({
        "participant": "40002",
        "certificate": certificate.number(),
        "modulus": hex::encode(modulus),
        "exponent": "010001",
        "confirmed": true,
    })
}

/// One key alone is recovered: numbers of 134 million bits take half a minute to compare.
#[test]
fn a_key_is_recovered_from_a_line_and_from_proofs_beside_another_certificate() {
    use SealCertificate::{Known, Unknown};
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for number in 1..=2 {
        let proof = folder.path().join(format!("{number}.xml"));
        fs::write(&proof, Sealed::new(number, Known).xml()).unwrap();
        files.push(proof);
    }
    let lines = folder.path().join("samples.jsonl");
    let samples = [Known, Unknown].map(|of| Sealed::new(3, of).line().to_string());
    fs::write(&lines, samples.join("\n")).unwrap();
    files.push(lines);
    let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();

    let output = run(&files, "");
    let recovered: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(recovered, confirmed_key(Known), "{}", told(&output));
    assert!(told(&output).contains("confirmed by all 3 seals"));
    assert_eq!(told(&output).matches("no key: that takes two").count(), 1);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn one_proof_is_too_few_however_often_it_is_given() {
    let sealed = Sealed::new(1, SealCertificate::Known);
    let folder = tempfile::tempdir().unwrap();
    let [proof, lines] = ["proof.xml", "samples.jsonl"].map(|name| folder.path().join(name));
    fs::write(&proof, sealed.xml()).unwrap();
    fs::write(&lines, format!("{0}\n\n{0}\n", sealed.line())).unwrap();
    let output = run(&[proof.to_str().unwrap(), lines.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let expected = "participant 40002, certificate 00000999900000000001: 1 different seals\n\
        participant 40002, certificate 00000999900000000001: no key: that takes two different proofs";
    assert!(told(&output).starts_with(expected), "{}", told(&output));
}

#[test]
fn proofs_of_different_certificates_are_not_compared() {
    let lines = [SealCertificate::Known, SealCertificate::Unknown]
        .map(|certificate| Sealed::new(1, certificate).line().to_string());
    let output = run(&[], &lines.join("\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(told(&output).matches("no key: that takes two").count(), 2);
}

#[rstest]
#[case::participant("participant", "BANAMEX", "participant is not a code of 5 digits")]
#[case::certificate("certificate", "123", "certificate is not a number of 20 digits")]
#[case::digest("digest", "00ff", "digest is not 128 hexadecimal digits")]
#[case::seal("seal", "AAAA", "seal is not base64 of 256 bytes")]
#[case::base64("seal", "?", "seal is not base64 of 256 bytes")]
fn a_line_that_cannot_be_read_is_named(
    #[case] field: &str,
    #[case] value: &str,
    #[case] problem: &str,
) {
    let good = Sealed::new(1, SealCertificate::Known).line();
    let mut bad = good.clone();
    bad[field] = json!(value);
    let expected = format!("error: standard input: line 2: {problem}\n");
    assert_eq!(refused(&[], &format!("{good}\n{bad}\n")), expected);
}

#[test]
fn an_input_without_samples_is_refused() {
    let incomplete = r#"{"participant":"40002","certificate":"00000999900000000001"}"#;
    for (input, problem) in [
        ("seal", "line 1: expected value at line 1 column 1\n"),
        (incomplete, "line 1: missing field `digest`"),
        ("<html/>", "the root element is not SPEI_Tercero\n"),
    ] {
        let told = refused(&[], input);
        let problem = format!("error: standard input: {problem}");
        assert!(told.starts_with(&problem), "{told}");
    }
    assert_eq!(refused(&[], ""), "error: the input holds no sample\n");
    let (told, problem) = (
        refused(&["nowhere.xml"], ""),
        "error: nowhere.xml can't be read: ",
    );
    assert!(told.starts_with(problem), "{told}");
}

#[test]
fn a_proof_with_two_seals_is_refused() {
    let sealed = Sealed::new(1, SealCertificate::Known);
    let other = Sealed::new(2, SealCertificate::Known).seal;
    let [one, other] = [&sealed.seal, &other].map(|seal| format!("sello=\"{seal}\""));
    let problem = "error: standard input: sello is not the seal at the end of cadenaCDA\n";
    assert_eq!(refused(&[], &sealed.xml().replace(&one, &other)), problem);
}
