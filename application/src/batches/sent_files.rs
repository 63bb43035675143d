//! Files that somebody sends with an import, read in threads for such work.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::NaiveDate;
use domain::calendar;
use domain::check::{CheckOutcome, CheckReport, FileKind, MAX_FILE_BYTES, ShownProof};
use domain::file::Format;
use domain::key::Environment;
use domain::participant::Catalogue;
use domain::proof::{Proof, SealedPayment};
use domain::seal::{NotChecked, Verdict};
use futures::channel::oneshot;
use ports::outbound::{Clock, ProofPdfReader};

use crate::proofs::Compute;

/// Time in which the PDFs of an import are read. The 500 of the bank's largest batch take some two seconds;
/// hostile ones take 100 ms each.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads the files of imports.
pub struct ImportedFiles {
    pdfs: Arc<dyn ProofPdfReader>,
    clock: Arc<dyn Clock>,
    compute: Compute,
}

/// A file that was read panicked, or was given up.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the reading of an imported file did not end")]
pub(super) struct NotRead;

/// A file, as its content tells what it is.
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
    /// The result of all checks but the seal's own.
    pub(super) fields: CheckOutcome,
}

/// Result of reading a PDF.
pub(super) enum PdfReading {
    Shows(ShownProof),
    Unreadable,
    /// Those before it took too long.
    NotRead,
}

impl ImportedFiles {
    /// A reader whose work is done in threads of `compute`.
    pub fn new(pdfs: Arc<dyn ProofPdfReader>, clock: Arc<dyn Clock>, compute: Compute) -> Self {
        Self {
            pdfs,
            clock,
            compute,
        }
    }

    /// Reads each file once, but for PDFs.
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

    /// Reads PDFs as long as there is time, one after another: others may compute in between.
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
            // The caller may be gone.
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

    /// A proof with the checks of `/verify`. A key is needed for its seal alone, which is checked once a row asks for it.
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
