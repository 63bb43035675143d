//! Cache of issued proofs, so that a second format or a repeat doesn't ask the bank again.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use domain::file::{FileStem, RequestedFiles};
use domain::key::Environment;
use domain::proof::Proof;
use domain::seal::CheckedSeal;
use domain::seen::ProofMark;
use domain::transfer::Transfer;
use moka::sync::Cache;

use super::pending_write::PendingWrite;

/// Memory that an entry takes besides its files, roughly: the transfer, the name, the map.
const OVERHEAD_BYTES: usize = 1_024;

/// Places where a proof may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofSource {
    /// Memory, the archive or the bank.
    Any,
    /// The bank, though a proof is kept: its record may have changed since, as by a return.
    Bank,
}

/// The key of a cached proof.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject {
    pub(super) environment: Environment,
    pub(super) transfer: Transfer,
}

/// A proof that was accepted.
#[derive(Debug)]
pub(super) struct CachedProof {
    pub(super) stem: FileStem,
    pub(super) xml: Bytes,
    pub(super) pdf: Option<Pdf>,
    pub(super) origin: Origin,
    /// The content of the XML.
    pub(super) proof: Arc<Proof>,
    /// Result of checking its seal when it was fetched.
    pub(super) seal: CheckedSeal,
    /// Its marks by each of the server's secrets, computed at its first delivery.
    pub(super) marks: OnceLock<Vec<ProofMark>>,
    /// Its write to the archive, if there was one.
    pub(super) archiving: OnceLock<PendingWrite>,
}

/// Source of the newest file of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The bank was asked.
    Bank,
    /// The archive had it.
    Archive,
}

/// A PDF, and the session that it was downloaded in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pdf {
    pub(super) bytes: Bytes,
    pub(super) session: Session,
}

/// The portal session in which a PDF was downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// The XML was downloaded in it too.
    OfBoth,
    /// A later one, for the PDF alone.
    OfThePdf,
}

impl CachedProof {
    /// Returns true when all files wanted are there; both must be of one session.
    pub(super) fn has(&self, wanted: RequestedFiles) -> bool {
        match (wanted, &self.pdf) {
            (RequestedFiles::Xml, _) | (RequestedFiles::Pdf, Some(_)) => true,
            (RequestedFiles::Both, Some(pdf)) => pdf.session == Session::OfBoth,
            (RequestedFiles::Pdf | RequestedFiles::Both, None) => false,
        }
    }

    /// Returns once its write to the archive has ended, or has taken too long.
    pub(super) async fn archived(&self) {
        if let Some(write) = self.archiving.get() {
            write.wait().await;
        }
    }

    fn weight(&self) -> u32 {
        let pdf = self.pdf.as_ref().map_or(0, |pdf| pdf.bytes.len());
        // Once as bytes, and once as the proof that was read from them.
        let bytes = OVERHEAD_BYTES + 2 * self.xml.len() + pdf;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// A cache of issued proofs, bounded by bytes and age.
#[derive(Clone)]
pub struct ProofMemory(Cache<Subject, Arc<CachedProof>>);

impl ProofMemory {
    /// A cache of at most `bytes`, which evicts a proof after `age`.
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
