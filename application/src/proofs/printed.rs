//! PDFs by which the bank answers queries for a reference number.

use std::sync::Arc;

use bytes::Bytes;
use domain::calendar;
use domain::criterion::ReferenceNumber;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::candidate::{self, Candidate, CandidateError};
use domain::proofs::check::{ReadingContext, ZipBounds, ZipError};
use domain::transfer::Transfer;
use ports::outbound::{Clock, ProofPdfReader, SealChecks, ZipReader, ZippedFile};

use super::acceptance::not_understood;
use super::delivery::FetchError;
use super::file_checks::{Compute, computed};

/// Dependencies of [`PrintedProofs`].
pub struct PrintedParts {
    /// Reads PDFs.
    pub pdfs: Arc<dyn ProofPdfReader>,
    /// Opens ZIPs.
    pub zips: Arc<dyn ZipReader>,
    /// Checks the seals that pages show.
    pub seals: Arc<dyn SealChecks>,
    /// Current time: a page with a later date is refused.
    pub clock: Arc<dyn Clock>,
    /// Runs the reading of a file.
    pub compute: Compute,
}

/// Reads the PDFs that the bank gives of a reference number.
#[derive(Clone)]
pub struct PrintedProofs(Arc<PrintedParts>);

/// The bank's PDFs aren't those of transfers with the reference number.
#[derive(Debug, thiserror::Error)]
enum NotRead {
    #[error("a file of the ZIP can't be read: {0}")]
    Zip(#[from] ZipError),
    #[error("the ZIP has no file")]
    Empty,
    #[error(transparent)]
    Candidate(#[from] CandidateError),
}

impl PrintedProofs {
    /// Creates a reader from its dependencies.
    pub fn new(parts: PrintedParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The transfers of a ZIP of PDFs, all with the reference number of `transfer`, in the order of their credit. Each
    /// file is a separate computation, so that those of other callers can run in between.
    ///
    /// # Errors
    /// A file can't be read as the portal's, or shows another transfer: then none is returned.
    pub(super) async fn candidates(
        &self,
        environment: Environment,
        transfer: &Transfer,
        zip: Bytes,
    ) -> Result<Vec<Candidate>, FetchError> {
        let this = self.clone();
        let opened = self.computed(move || this.0.zips.open(zip, ZipBounds::OF_CHECKS));
        let mut files = opened.await?.map_err(not_understood)?;
        let mut found = Vec::new();
        loop {
            let (this, transfer) = (self.clone(), transfer.clone());
            let next = self.computed(move || {
                let file = files.next_file()?;
                Some((this.candidate(environment, &transfer, file), files))
            });
            let Some((candidate, rest)) = next.await? else {
                break;
            };
            found.push(candidate.map_err(not_understood)?);
            files = rest;
        }
        if found.is_empty() {
            return Err(not_understood(NotRead::Empty));
        }
        found.sort_by(|one, other| {
            let order = |it: &Candidate| (it.credited_at, it.tracking_key.to_string());
            order(one).cmp(&order(other))
        });
        Ok(found)
    }

    /// Checks that the PDF of a proof shows the reference number, and the proof of the XML.
    pub(super) async fn confirm(
        &self,
        environment: Environment,
        reference: ReferenceNumber,
        (proof, pdf): (Arc<Proof>, Bytes),
    ) -> Result<(), FetchError> {
        let this = self.clone();
        let read = move || {
            let pages = this.0.pdfs.read(&pdf).map_err(CandidateError::from)?;
            candidate::show(&pages, this.context(environment), reference, &proof)
        };
        self.computed(read).await?.map_err(not_understood)
    }

    /// Runs a computation in a thread for such work.
    async fn computed<T: Send + 'static>(
        &self,
        computation: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, FetchError> {
        let computed = computed(&self.0.compute, computation).await;
        computed.map_err(not_understood)
    }

    fn candidate(
        &self,
        environment: Environment,
        transfer: &Transfer,
        file: ZippedFile,
    ) -> Result<Candidate, NotRead> {
        let verdict = |proof: &Proof| self.0.seals.check(environment, proof).verdict;
        let pages = self.0.pdfs.read(&file.content?);
        let pages = pages.map_err(CandidateError::from)?;
        let context = self.context(environment);
        Ok(Candidate::of_pages(&pages, context, transfer, verdict)?)
    }

    fn context(&self, environment: Environment) -> ReadingContext {
        ReadingContext {
            environment,
            today: calendar::today(self.0.clock.now()),
        }
    }
}
