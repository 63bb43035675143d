//! Checks of seals that know no key, and readers of PDFs that are none.

use async_trait::async_trait;
use domain::check::{PdfError, PrintedPage};
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::{CheckedSeal, NotChecked, Verdict};
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
