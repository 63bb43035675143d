//! Checks of a proof that somebody sent: nobody is asked, and nothing of the file is kept.

use std::sync::Arc;

use domain::check::{CheckReason, CheckReport, FileKind, MAX_FILE_BYTES};
use domain::file::Format;
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::Verdict;
use ports::outbound::ProofPdfReader;

/// Verdicts on the seals of proofs. Any function of an environment and a proof is one.
pub trait SealVerdicts: Send + Sync {
    /// Checks the seal of a proof with the keys of an environment, without I/O.
    fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict;
}

impl<F> SealVerdicts for F
where
    F: Fn(Environment, &Proof) -> Verdict + Send + Sync,
{
    fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict {
        self(environment, proof)
    }
}

/// Checks files that people send.
#[derive(Clone)]
pub struct ProofCheckService {
    seals: Arc<dyn SealVerdicts>,
    pdfs: Arc<dyn ProofPdfReader>,
}

impl ProofCheckService {
    /// A service that has seals checked by `seals`, and PDFs read by `pdfs`.
    pub fn new(seals: Arc<dyn SealVerdicts>, pdfs: Arc<dyn ProofPdfReader>) -> Self {
        Self { seals, pdfs }
    }

    /// Checks a file, whose bytes tell its format. It computes for up to 100 ms when the file is hostile, so a
    /// server calls it in a thread for such work; a proof takes about 0.1 ms as XML, and less than 5 ms as PDF.
    pub fn verify(&self, environment: Environment, file: &[u8]) -> CheckReport {
        let verdict = |proof: &Proof| self.seals.verdict(environment, proof);
        if file.len() > MAX_FILE_BYTES {
            return CheckReport::of_other(CheckReason::TooLarge);
        }
        match FileKind::of(file) {
            FileKind::Proof(Format::Xml) => CheckReport::of_xml(file, verdict),
            FileKind::Proof(Format::Pdf) => {
                CheckReport::of_page(self.pdfs.read(file).as_ref().map_err(|e| *e), verdict)
            }
            FileKind::Zip => CheckReport::of_other(CheckReason::NestedZip),
            FileKind::Other(reason) => CheckReport::of_other(reason),
        }
    }
}
