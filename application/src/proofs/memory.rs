//! Memory of issued proofs, so that requests for other formats and repeated ones don't query the bank.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use domain::keys::Environment;
use domain::proofs::Proof;
use domain::proofs::file::{FileStem, RequestedFiles};
use domain::proofs::seen::ProofMark;
use domain::seals::CheckedSeal;
use domain::transfer::Transfer;
use moka::sync::Cache;

use super::pending_write::PendingWrite;

/// Approximate size of an entry besides its files: transfer, name, hash map.
const OVERHEAD_BYTES: usize = 1_024;

/// Permitted sources of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofSource {
    /// Memory, archive or bank.
    Any,
    /// Only the bank, even if a proof is stored: the payment's state may have changed, for example by a
    /// return.
    Bank,
}

/// Key of a stored proof.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject {
    pub(super) environment: Environment,
    pub(super) transfer: Transfer,
}

/// An accepted proof with its files.
#[derive(Debug)]
pub(super) struct CachedProof {
    pub(super) stem: FileStem,
    pub(super) xml: Bytes,
    pub(super) pdf: Option<Pdf>,
    pub(super) origin: Origin,
    /// Parsed content of the XML.
    pub(super) proof: Arc<Proof>,
    /// Result of checking the seal at acceptance.
    pub(super) seal: CheckedSeal,
    /// Marks with each of the configured secrets, computed at the first delivery.
    pub(super) marks: OnceLock<Vec<ProofMark>>,
    /// Pending write to the archive; not set if there was none.
    pub(super) archiving: OnceLock<PendingWrite>,
}

/// Source of a proof's newest file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Fetched from the bank.
    Bank,
    /// Read from the archive.
    Archive,
}

/// A PDF, and the session in which it was downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pdf {
    pub(super) bytes: Bytes,
    pub(super) session: Session,
}

/// Portal session in which a PDF was downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// The session in which the XML was downloaded, too.
    OfBoth,
    /// A later session, for the PDF only.
    OfThePdf,
}

impl CachedProof {
    /// Returns `true` if all requested files are present; if both are requested, they must be of one session.
    pub(super) fn has(&self, wanted: RequestedFiles) -> bool {
        match (wanted, &self.pdf) {
            (RequestedFiles::Xml, _) | (RequestedFiles::Pdf, Some(_)) => true,
            (RequestedFiles::Both, Some(pdf)) => pdf.session == Session::OfBoth,
            (RequestedFiles::Pdf | RequestedFiles::Both, None) => false,
        }
    }

    /// Returns once the write to the archive has ended, or the time limit is reached.
    pub(super) async fn archived(&self) {
        if let Some(write) = self.archiving.get() {
            write.wait().await;
        }
    }

    fn weight(&self) -> u32 {
        let pdf = self.pdf.as_ref().map_or(0, |pdf| pdf.bytes.len());
        // Counted twice: the raw XML and the parsed proof.
        let bytes = OVERHEAD_BYTES + 2 * self.xml.len() + pdf;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// Cache of issued proofs, limited by size and age.
#[derive(Clone)]
pub struct ProofMemory(Cache<Subject, Arc<CachedProof>>);

impl ProofMemory {
    /// Creates a cache of at most `bytes`, from which a proof is evicted after `age`.
    pub fn new(bytes: u64, age: Duration) -> Self {
        let cache = Cache::builder()
            .max_capacity(bytes)
            .weigher(|_: &Subject, proof: &Arc<CachedProof>| proof.weight())
            .time_to_live(age);
        Self(cache.build())
    }

    pub(super) fn get(&self, subject: &Subject) -> Option<Arc<CachedProof>> {
        self.0.get(subject)
    }

    pub(super) fn remove(&self, subject: &Subject) -> Option<Arc<CachedProof>> {
        self.0.remove(subject)
    }

    pub(super) fn insert(&self, subject: Subject, proof: Arc<CachedProof>) {
        self.0.insert(subject, proof);
    }
}
