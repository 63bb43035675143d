//! Imported files, which are parsed in threads for computations.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::calendar;
use domain::keys::Environment;
use domain::participants::Catalogue;
use domain::proofs::check::{CheckOutcome, CheckReport, FileKind, MAX_FILE_BYTES, ShownProof};
use domain::proofs::file::Format;
use domain::proofs::{Proof, SealedPayment};
use domain::seals::{NotChecked, Verdict};
use futures::channel::oneshot;
use ports::outbound::{Clock, ProofPdfReader};

use crate::proofs::Compute;

/// Time limit for reading the PDFs of an import. The 500 PDFs of the bank's largest batch take about two
/// seconds; hostile ones take up to 100 ms each.
const PATIENCE: Duration = Duration::from_secs(15);

/// Parses the files of imports.
pub struct ImportedFiles {
    pdfs: Arc<dyn ProofPdfReader>,
    clock: Arc<dyn Clock>,
    compute: Compute,
}

/// The computation panicked or was dropped.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the reading of an imported file did not end")]
pub(super) struct NotRead;

/// A file by its detected format.
pub(super) enum SentFile {
    Proof(Box<SentProof>),
    Pdf(Bytes),
    Other,
}

/// An XML that is a proof.
pub(super) struct SentProof {
    pub(super) xml: Bytes,
    pub(super) proof: Proof,
    pub(super) payment: SealedPayment,
    /// Result of all checks of the proof except that of the seal.
    pub(super) fields: CheckOutcome,
}

/// Result of reading a PDF.
pub(super) enum PdfReading {
    Shows(ShownProof),
    Unreadable,
    /// Not read, because the time limit was reached.
    NotRead,
}

impl ImportedFiles {
    /// Creates a reader that computes in threads of `compute`.
    pub fn new(pdfs: Arc<dyn ProofPdfReader>, clock: Arc<dyn Clock>, compute: Compute) -> Self {
        Self {
            pdfs,
            clock,
            compute,
        }
    }

    /// Parses all files except PDFs, whose content is read later.
    pub(super) async fn read(
        &self,
        files: Vec<Bytes>,
        catalogue: Arc<Catalogue>,
    ) -> Result<Vec<SentFile>, NotRead> {
        self.computed(move || {
            let files = files.into_iter();
            files.map(|file| SentFile::of(file, &catalogue)).collect()
        })
        .await
    }

    /// Reads PDFs until the time limit, each as a separate computation, so that others can run in between.
    pub(super) async fn shown_by(
        &self,
        pdfs: impl Iterator<Item = Bytes> + Send,
        environment: Environment,
    ) -> Result<Vec<PdfReading>, NotRead> {
        let began = self.clock.monotonic();
        let today = calendar::today(self.clock.now());
        let mut read = Vec::new();
        for pdf in pdfs {
            if self.clock.monotonic().saturating_sub(began) >= PATIENCE {
                read.push(PdfReading::NotRead);
                continue;
            }
            let reader = Arc::clone(&self.pdfs);
            let shown = self.computed(move || PdfReading::of(&*reader, &pdf, environment, today));
            read.push(shown.await?);
        }
        Ok(read)
    }

    async fn computed<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotRead> {
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            // The receiver may be dropped.
            let _ = sender.send(work());
        };
        (self.compute)(Box::new(work)).await;
        receiver.await.map_err(|_| NotRead)
    }
}

impl SentFile {
    fn of(file: Bytes, catalogue: &Catalogue) -> Self {
        match FileKind::of(&file) {
            FileKind::Proof(Format::Pdf) => Self::Pdf(file),
            FileKind::Proof(Format::Xml) if !Proof::holds_more(&file) => {
                Self::of_xml(file, catalogue)
            }
            FileKind::Proof(Format::Xml) | FileKind::Zip | FileKind::Other(_) => Self::Other,
        }
    }

    /// Parses a proof with the checks of `/verify`, except for the seal, which is checked once a row matches.
    fn of_xml(xml: Bytes, catalogue: &Catalogue) -> Self {
        let unknown = Verdict::NotChecked(NotChecked::UnknownCertificate);
        let report = CheckReport::of_xml(&xml, |_| unknown);
        let fields = report.outcome_of_fields();
        report.proof.map_or(Self::Other, |proof| {
            let payment = SealedPayment::of(&proof, catalogue);
            Self::Proof(Box::new(SentProof {
                xml,
                proof,
                payment,
                fields,
            }))
        })
    }
}

impl PdfReading {
    fn of(
        reader: &dyn ProofPdfReader,
        pdf: &[u8],
        environment: Environment,
        today: NaiveDate,
    ) -> Self {
        if pdf.len() > MAX_FILE_BYTES {
            return Self::Unreadable;
        }
        let pages = reader.read(pdf);
        let shown = pages.and_then(|pages| ShownProof::of(&pages, environment, today));
        shown.map_or(Self::Unreadable, Self::Shows)
    }
}
