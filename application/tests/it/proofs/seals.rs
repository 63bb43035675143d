//! Seals of fetched proofs: checked once each, and delivered with every answer.

use std::sync::Mutex;

use async_trait::async_trait;
use domain::file::RequestedFiles;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, SealHash, Verdict};
use ports::inbound::Delivery;
use ports::outbound::SealChecks;

use super::{fixture, fixture_caching};

/// Finds every seal valid, and records what it checked.
#[derive(Default)]
pub(super) struct RecordingSeals {
    checked: Mutex<Vec<(Environment, String)>>,
    recorded: Mutex<Vec<(Environment, String)>>,
}

impl RecordingSeals {
    pub(super) fn checked(&self) -> Vec<(Environment, String)> {
        self.checked.lock().unwrap().clone()
    }

    pub(super) fn recorded(&self) -> Vec<(Environment, String)> {
        self.recorded.lock().unwrap().clone()
    }
}

#[async_trait]
impl SealChecks for RecordingSeals {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let checked = (environment, proof.tracking_key.clone());
        self.checked.lock().unwrap().push(checked);
        CheckedSeal {
            verdict: Verdict::Valid(SealHash::Sha512),
            signer: None,
            digest: None,
            by_sandbox: false,
        }
    }

    async fn record(&self, environment: Environment, proof: &Proof, _: &CheckedSeal) {
        let recorded = (environment, proof.tracking_key.clone());
        self.recorded.lock().unwrap().push(recorded);
    }
}

#[tokio::test]
async fn a_seal_is_checked_once_for_a_proof_whatever_is_delivered_of_it() {
    let fixture = fixture();
    for wanted in [
        RequestedFiles::Pdf,
        RequestedFiles::Xml,
        RequestedFiles::Both,
        RequestedFiles::Xml,
    ] {
        let Delivery {
            seal,
            proof,
            issuer,
            ..
        } = fixture.fetch("10.00", wanted).await.result.unwrap();
        assert_eq!(seal.verdict, Verdict::Valid(SealHash::Sha512));
        assert_eq!((proof.centavos, issuer.number()), (1_000, 40_012));
    }
    let key = "MBAN01002611180000000001".to_owned();
    let once = [(Environment::Test, key)];
    assert_eq!(fixture.seals.checked(), once);
    assert_eq!(fixture.seals.recorded(), once);
}

#[tokio::test]
async fn a_seal_is_checked_again_when_its_proof_is_fetched_again() {
    let fixture = fixture_caching(0);
    for _ in 0..2 {
        let report = fixture.fetch("10.00", RequestedFiles::Xml).await;
        report.result.unwrap();
    }
    assert_eq!(fixture.seals.checked().len(), 2);
}

#[tokio::test]
async fn a_proof_that_is_not_the_one_asked_for_is_not_checked() {
    let fixture = fixture();
    let report = fixture.fetch("404.00", RequestedFiles::Xml).await;
    report.result.unwrap_err();
    assert_eq!(fixture.seals.checked(), []);
    assert_eq!(fixture.seals.recorded(), []);
}
