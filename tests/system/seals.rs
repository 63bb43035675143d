//! Keys of seals on the command line: imported from files, recovered from samples, and believed only
//! when samples confirm them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use aws_lc_rs::digest::{SHA512, digest};
use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA512};
use domain::hex;
use domain::participants::ParticipantCode;
use domain::seals::{CertificateNumber, SEAL_BYTES, SealKey, SealedDigest, Signer};
use ports::outbound::{SealSample, SealStore as _};
use seal_rsa::PublicKeyFile;
use serde_json::{Value, json};
use store_seaorm::{Store, sqlite_url};
use tempfile::TempDir;

use crate::gateway::{command, refusal};

const PARTICIPANT: &str = "40012";
const CERTIFICATE: &str = "00000999900000000011";
/// A certificate of nobody's, whose serial number spells `00000999900000000003`.
const CERTIFICATE_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/adapters/outbound/seal-rsa/tests/files/bank.cer"
);

/// An institution's key.
struct Institution(KeyPair);

impl Institution {
    fn new() -> Self {
        Self(KeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    fn der(&self) -> Vec<u8> {
        let der: PublicKeyX509Der<'_> = self.0.public_key().as_der().unwrap();
        der.as_ref().to_vec()
    }

    fn key(&self) -> SealKey {
        PublicKeyFile::parse(&self.der()).unwrap().key
    }

    fn sample(&self, number: u8) -> SealSample {
        let text = format!("||1|{number}||").into_bytes();
        let mut seal = [0; SEAL_BYTES];
        let random = SystemRandom::new();
        let signed = self.0.sign(&RSA_PKCS1_SHA512, &random, &text, &mut seal);
        signed.unwrap();
        let digest = digest(&SHA512, &text);
        SealSample {
            signer: Signer {
                participant: ParticipantCode::parse(PARTICIPANT).unwrap(),
                certificate: CertificateNumber::parse(CERTIFICATE).unwrap(),
            },
            digest: SealedDigest(digest.as_ref().try_into().unwrap()),
            seal,
        }
    }

    /// The line that `seal-keys` would answer.
    fn answer(&self) -> Value {
        let key = self.key();
        json!({
            "participant": PARTICIPANT,
            "certificate": CERTIFICATE,
            "modulus": hex::encode(key.modulus()),
            "exponent": "010001",
            "confirmed": true,
        })
    }
}

/// A gateway's folder, without a server.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command `seals` with these words.
    fn seals(&self, words: &str) -> Command {
        let mut command = command(self.path());
        command.arg("seals").args(words.split_whitespace());
        command
    }

    /// The standard output of a command that succeeds.
    fn says(&self, words: &str) -> String {
        let output = self.seals(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The standard error of a command that fails.
    fn refuses(&self, words: &str) -> String {
        refusal(&mut self.seals(words))
    }

    fn write(&self, name: &str, content: &[u8]) -> String {
        let file = self.path().join(name);
        fs::write(&file, content).unwrap();
        file.to_str().unwrap().to_owned()
    }

    /// Stores samples, as a server does that fetches proofs.
    async fn add_samples(&self, samples: &[SealSample]) {
        self.says("list");
        let url = sqlite_url(&self.path().join("data/cep.db")).unwrap();
        let store = Store::open(&url).await.unwrap();
        for sample in samples {
            let now = "2026-11-20T18:00:00Z".parse().unwrap();
            assert!(store.add_seal_sample(sample, now).await.unwrap());
        }
        store.close().await.unwrap();
    }

    /// Writes a program, and returns the words that have it recover keys.
    fn recover_by(&self, script: &str) -> String {
        let program = self.write("program", script.as_bytes());
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        format!("recover --program {program}")
    }

    /// The same with a program that keeps its input and its environment, and answers these lines.
    fn recover(&self, answer: &str) -> String {
        let answer = self.write("answer", answer.as_bytes());
        let folder = self.path().display();
        let kept = format!("cat > '{folder}/asked'\nenv > '{folder}/environment'");
        self.recover_by(&format!("#!/bin/sh\n{kept}\ncat '{answer}'\n"))
    }
}

/// A folder with these samples of an institution.
async fn with_samples(numbers: &[u8]) -> (Folder, Institution) {
    let (folder, institution) = (Folder(tempfile::tempdir().unwrap()), Institution::new());
    let samples = numbers.iter().map(|number| institution.sample(*number));
    folder.add_samples(&samples.collect::<Vec<_>>()).await;
    (folder, institution)
}

/// The words that import a key from a file without a certificate.
fn import(file: &str) -> String {
    format!("import {file} --participant {PARTICIPANT} --certificate {CERTIFICATE}")
}

#[test]
fn a_certificate_is_imported_once_and_listed() {
    let folder = Folder::new();
    assert!(folder.says("list").starts_with("There are no keys"));
    let import = format!("import {CERTIFICATE_FILE} --participant {PARTICIPANT}");
    let said = folder.says(&import);
    assert!(said.contains("00000999900000000003 of 40012"), "{said}");
    assert!(said.contains("nothing confirms it"), "{said}");
    let listed = folder.says("list");
    let bytes = fs::read(CERTIFICATE_FILE).unwrap();
    let fingerprint = PublicKeyFile::parse(&bytes).unwrap().key.fingerprint();
    let line = format!("never used  {fingerprint}\n");
    let begins = listed.starts_with("40012  00000999900000000003  imported 20");
    assert!(begins && listed.ends_with(&line), "{listed}");
    let again = folder.refuses(&import);
    assert!(again.contains("has this key already"), "{again}");
}

#[test]
fn what_an_import_lacks_is_told_with_the_file_and_the_remedy() {
    let folder = Folder::new();
    let bare = folder.write("bare.der", &Institution::new().der());
    let text = folder.write("text.cer", b"a certificate");
    let of_other = "--participant 40012 --certificate 00000999900000000011";
    let is_other = "is the certificate 00000999900000000003";
    for (file, options, words) in [
        (CERTIFICATE_FILE, "", "--participant"),
        (&*bare, "--participant 40012", "--certificate"),
        (&bare, "--certificate 00000999900000000011", "--participant"),
        (CERTIFICATE_FILE, of_other, is_other),
        (&text, "--participant 40012", "neither a certificate"),
        ("missing.cer", "", "No such file"),
    ] {
        let error = folder.refuses(&format!("import {file} {options}"));
        assert!(error.contains(file), "{options}: {error}");
        assert!(error.contains(words), "{options}: {error}");
    }
    for (flag, value) in [("--participant", "12"), ("--certificate", "1234")] {
        let error = folder.refuses(&format!("import {bare} {flag} {value}"));
        assert!(error.contains(flag), "{error}");
    }
    assert!(folder.says("list").starts_with("There are no keys"));
}

#[test]
fn the_sandboxs_key_is_not_imported() {
    let folder = Folder::new();
    let file = folder.write("sandbox.spki", sandbox::seal::public_key_der());
    let error = folder.refuses(&import(&file));
    assert!(error.contains("private part is published"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_imported_when_the_samples_of_its_certificate_confirm_it() {
    let (folder, right) = with_samples(&[1, 2]).await;
    let file = folder.write("wrong.der", &Institution::new().der());
    let error = folder.refuses(&import(&file));
    assert!(error.contains("none of the 2 seals"), "{error}");
    let file = folder.write("right.der", &right.der());
    let said = folder.says(&import(&file));
    let confirmed = "2 seals that this gateway has confirm it";
    assert!(said.contains(confirmed), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_are_exported_as_lines_of_json() {
    let folder = Folder::new();
    assert_eq!(folder.says("export-samples"), "");
    let institution = Institution::new();
    let samples = [institution.sample(1), institution.sample(2)];
    folder.add_samples(&samples).await;
    let printed = folder.says("export-samples");
    assert_eq!(printed.lines().count(), 2);
    let first: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
    assert_eq!(first["participant"], PARTICIPANT);
    assert_eq!(first["certificate"], CERTIFICATE);
    assert_eq!(first["digest"], hex::encode(&samples[0].digest.0));
    assert_eq!(first["seal"].as_str().unwrap().len(), 344);
    let file = folder.path().join("samples.jsonl");
    let written = folder.says(&format!("export-samples --output {}", file.display()));
    assert_eq!(written, "");
    assert_eq!(fs::read_to_string(file).unwrap(), printed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_recovered_from_three_samples_by_the_separate_program() {
    let (folder, institution) = with_samples(&[1, 2, 3]).await;
    let answer = format!("{}\n", institution.answer());
    let said = folder.says(&folder.recover(&answer));
    assert!(said.contains("recovered, and confirmed"), "{said}");
    let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(asked, folder.says("export-samples"));
    // The gateway's settings have secrets.
    let environment = fs::read_to_string(folder.path().join("environment")).unwrap();
    assert!(!environment.contains("CEP_"), "{environment}");
    let listed = folder.says("list");
    assert!(listed.contains("recovered 20"), "{listed}");
    let fingerprint = institution.key().fingerprint();
    assert!(listed.contains(&fingerprint), "{listed}");
    let nothing_left = folder.says("recover --program /nowhere");
    assert!(nothing_left.contains("No certificate without a key"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_the_program_claims_is_believed() {
    let (folder, institution) = with_samples(&[1, 2, 3]).await;
    let other = Institution::new();
    let mut not_asked = institution.answer();
    not_asked["certificate"] = json!("00000999900000000012");
    let mut short = institution.answer();
    short["modulus"] = json!("ff".repeat(128));
    for (answer, words) in [
        (other.answer().to_string(), "verifies 0 of the 3 seals"),
        (not_asked.to_string(), "wasn't asked for"),
        (short.to_string(), "1024 bits"),
        ("{}".to_owned(), "lacks participant"),
        ("a key".to_owned(), "no JSON"),
        (String::new(), "without a key still"),
    ] {
        let error = folder.refuses(&folder.recover(&answer));
        assert!(error.contains(words), "{answer}: {error}");
        assert!(folder.says("list").contains("no key, 3 samples"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_samples_are_not_enough_and_a_missing_program_is_told() {
    let (folder, institution) = with_samples(&[1, 2]).await;
    let said = folder.says("recover");
    assert!(said.contains("2 samples of the 3"), "{said}");
    folder.add_samples(&[institution.sample(3)]).await;
    let error = folder.refuses("recover --program /nowhere/seal-keys");
    assert!(error.contains("/nowhere/seal-keys (--program)"), "{error}");
    let error = folder.refuses(&folder.recover_by("#!/bin/sh\nexit 3\n"));
    assert!(error.contains("exit status: 3"), "{error}");
}
