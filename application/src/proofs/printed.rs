//! PDFs by which the bank answers queries for a reference number.

use std::sync::Arc;

use bytes::Bytes;
use domain::calendar;
use domain::criterion::ReferenceNumber;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::candidate::{self, Candidate, CandidateError, MAX_CANDIDATES};
use domain::proofs::check::{ReadingContext, ZipBounds, ZipError};
use domain::transfer::Transfer;
use ports::outbound::{Clock, ProofPdfReader, SealChecks, ZipReader};

use super::acceptance::not_understood;
use super::delivery::FetchError;
use super::file_checks::{CheckNotEnded, Compute, computed};

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
    #[error("the ZIP of PDFs can't be read: {0}")]
    Zip(#[from] ZipError),
    #[error("the ZIP has no file, or more than {MAX_CANDIDATES}")]
    Count,
    #[error(transparent)]
    Candidate(#[from] CandidateError),
}

impl PrintedProofs {
    /// Creates a reader from its dependencies.
    pub fn new(parts: PrintedParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The transfers of a ZIP of PDFs, all with the reference number of `transfer`, in the order of their credit.
    ///
    /// # Errors
    /// A file can't be read as the portal's, or shows another transfer: then none is returned.
    pub(super) async fn candidates(
        &self,
        environment: Environment,
        transfer: &Transfer,
        zip: Bytes,
    ) -> Result<Vec<Candidate>, FetchError> {
        let (this, transfer) = (self.clone(), transfer.clone());
        let read = move || this.read_all(environment, &transfer, zip);
        let read = computed(&self.0.compute, read).await;
        read.map_err(not_understood)?.map_err(not_understood)
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
        let read: Result<_, CheckNotEnded> = computed(&self.0.compute, read).await;
        read.map_err(not_understood)?.map_err(not_understood)
    }

    fn read_all(
        &self,
        environment: Environment,
        transfer: &Transfer,
        zip: Bytes,
    ) -> Result<Vec<Candidate>, NotRead> {
        let context = self.context(environment);
        let verdict = |proof: &Proof| self.0.seals.check(environment, proof).verdict;
        let mut files = self.0.zips.open(zip, ZipBounds::OF_CHECKS)?;
        let mut found = Vec::new();
        while let Some(file) = files.next_file() {
            let pages = self.0.pdfs.read(&file.content?);
            let pages = pages.map_err(CandidateError::from)?;
            found.push(Candidate::of_pages(&pages, context, transfer, verdict)?);
        }
        if !(1..=MAX_CANDIDATES).contains(&found.len()) {
            return Err(NotRead::Count);
        }
        found.sort_by(|one, other| {
            let order = |it: &Candidate| (it.credited_at, it.tracking_key.to_string());
            order(one).cmp(&order(other))
        });
        Ok(found)
    }

    fn context(&self, environment: Environment) -> ReadingContext {
        ReadingContext {
            environment,
            today: calendar::today(self.0.clock.now()),
        }
    }
}
