//! Checks of uploaded proofs, without querying the bank or storing the file.

use std::sync::Arc;

use bytes::Bytes;
use domain::calendar;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::check::{
    CheckReason, CheckReport, FileKind, MAX_FILE_BYTES, ZipBounds, ZipError,
};
use domain::proofs::file::{EntryName, Format};
use domain::seals::{NotChecked, Verdict};
use ports::outbound::{Clock, ProofPdfReader, ZipFiles, ZipReader, ZippedFile};

/// Checks of seals. Implemented for every function of an environment and a proof.
pub trait SealVerdicts: Send + Sync {
    /// Checks the seal of a proof with the keys of an environment, without I/O.
    fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict;

    /// Returns `true` if the sandbox's published key made the seal, or if the seal names the sandbox's
    /// certificate and not one of an institution.
    fn is_of_sandbox(&self, proof: &Proof) -> bool {
        const UNKNOWN: Verdict = Verdict::NotChecked(NotChecked::UnknownCertificate);
        let is_known = |environment| self.verdict(environment, proof) != UNKNOWN;
        is_known(Environment::Test) && !is_known(Environment::Live)
    }
}

impl<F> SealVerdicts for F
where
    F: Fn(Environment, &Proof) -> Verdict + Send + Sync,
{
    fn verdict(&self, environment: Environment, proof: &Proof) -> Verdict {
        self(environment, proof)
    }
}

/// Check of a file in a ZIP.
#[derive(Clone, Debug)]
pub struct ZippedReport {
    /// The file's name, cleaned for display.
    pub name: String,
    /// Result of the check.
    pub report: CheckReport,
    /// The file, if a second opinion on its seal is possible.
    pub disputable: Option<Bytes>,
}

/// Checks uploaded files.
#[derive(Clone)]
pub struct ProofCheckService {
    seals: Arc<dyn SealVerdicts>,
    pdfs: Arc<dyn ProofPdfReader>,
    zips: Arc<dyn ZipReader>,
    clock: Arc<dyn Clock>,
}

impl ProofCheckService {
    /// Creates a service. A page of a PDF that shows a date later than the clock's is not accepted.
    pub fn new(
        seals: Arc<dyn SealVerdicts>,
        pdfs: Arc<dyn ProofPdfReader>,
        zips: Arc<dyn ZipReader>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            seals,
            pdfs,
            zips,
            clock,
        }
    }

    /// Opens a ZIP file, to check its files one after another; `None` if the file isn't a ZIP.
    ///
    /// # Errors
    /// The reason why the ZIP can't be read.
    pub fn open(&self, file: &Bytes) -> Option<Result<Box<dyn ZipFiles>, CheckReason>> {
        if file.len() > MAX_FILE_BYTES || FileKind::of(file) != FileKind::Zip {
            return None;
        }
        let opened = self.zips.open(file.clone(), ZipBounds::OF_CHECKS);
        Some(opened.map_err(ZipError::reason))
    }

    /// Checks the next file of a ZIP; `None` after the last one.
    pub fn verify_next(
        &self,
        environment: Environment,
        files: &mut dyn ZipFiles,
    ) -> Option<ZippedReport> {
        let ZippedFile { name, content } = files.next_file()?;
        let (report, disputable) = match content {
            Ok(file) => {
                let report = self.verify(environment, &file).of_named(&name);
                let is_disputable = report.is_disputable_xml();
                (report, is_disputable.then_some(file))
            }
            Err(error) => (CheckReport::of_other(error.reason()), None),
        };
        Some(ZippedReport {
            name: EntryName::of(&name).to_string(),
            report,
            disputable,
        })
    }

    /// Checks a file, whose format is detected by its bytes. Takes about 0.1 ms for an XML proof and less
    /// than 5 ms for a PDF, but up to 100 ms for a hostile file, so servers call it in a thread for
    /// computations.
    pub fn verify(&self, environment: Environment, file: &[u8]) -> CheckReport {
        if file.len() > MAX_FILE_BYTES {
            return CheckReport::of_other(CheckReason::TooLarge);
        }
        let report = self.read(environment, file);
        let by_sandbox = self.by_sandbox(environment, file, &report);
        CheckReport {
            by_sandbox,
            ..report
        }
    }

    /// Verdict by the sandbox's key, which is trusted in the test environment only; `None` unless the seal is
    /// the sandbox's.
    fn by_sandbox(
        &self,
        environment: Environment,
        file: &[u8],
        report: &CheckReport,
    ) -> Option<Verdict> {
        let proof = report.proof.as_ref()?;
        if !self.seals.is_of_sandbox(proof) {
            return None;
        }
        Some(match environment {
            Environment::Test => report.verdict,
            // The key is needed to find the right way of joining the lines of a page.
            Environment::Live => self.read(Environment::Test, file).verdict,
        })
    }

    fn read(&self, environment: Environment, file: &[u8]) -> CheckReport {
        let verdict = |proof: &Proof| self.seals.verdict(environment, proof);
        match FileKind::of(file) {
            FileKind::Proof(Format::Xml) => CheckReport::of_xml(file, verdict),
            FileKind::Proof(Format::Pdf) => {
                let pages = self.pdfs.read(file);
                let pages = pages.as_deref().map_err(|error| *error);
                let today = calendar::today(self.clock.now());
                CheckReport::of_pages(pages, environment, today, verdict)
            }
            FileKind::Zip => CheckReport::of_other(CheckReason::NestedZip),
            FileKind::Other(reason) => CheckReport::of_other(reason),
        }
    }
}
