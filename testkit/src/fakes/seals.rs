//! Checks of seals that know no key, and readers of PDFs that are none.

use async_trait::async_trait;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::check::{PdfError, PrintedPage};
use domain::seals::{CheckedSeal, NotChecked, SealHash, Verdict};
use ports::outbound::{ProofPdfReader, SealChecks};

/// Checks of seals that know no key, and record nothing.
pub struct NoSealKeys;

#[async_trait]
impl SealChecks for NoSealKeys {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        CheckedSeal::of(proof, |_| unknown_certificate(environment, proof))
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}

/// Number of the certificate that [`OneSealKey`] knows.
pub const KNOWN_CERTIFICATE: &str = "00001000000500000002";

/// Checks of seals that find all of one certificate valid and know no other, and record nothing.
pub struct OneSealKey;

#[async_trait]
impl SealChecks for OneSealKey {
    fn check(&self, environment: Environment, proof: &Proof) -> CheckedSeal {
        let mut checked = NoSealKeys.check(environment, proof);
        if proof.chain.certificate_number() == KNOWN_CERTIFICATE {
            checked.verdict = Verdict::Valid(SealHash::Sha512);
        }
        checked
    }

    async fn record(&self, _: Environment, _: &Proof, _: &CheckedSeal) {}
}

/// The verdict on every seal: its certificate isn't known.
pub fn unknown_certificate(_: Environment, _: &Proof) -> Verdict {
    Verdict::NotChecked(NotChecked::UnknownCertificate)
}

/// A reader for which every PDF is damaged.
pub struct NoPdfs;

impl ProofPdfReader for NoPdfs {
    fn read(&self, _: &[u8]) -> Result<Vec<PrintedPage>, PdfError> {
        Err(PdfError::Damaged)
    }
}
