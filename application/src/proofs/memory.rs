//! Proofs that were issued lately, so that a second format or a repeat doesn't ask the bank again.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::file::FileStem;
use domain::key::Environment;
use domain::transfer::Transfer;
use moka::sync::Cache;
use ports::inbound::Wanted;

/// Memory that an entry takes besides its files, roughly: the transfer, the name, the map.
const OVERHEAD_BYTES: usize = 1_024;

/// What a proof is remembered by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject {
    pub(super) environment: Environment,
    pub(super) transfer: Transfer,
}

/// A proof that was accepted.
#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) stem: FileStem,
    pub(super) xml: Bytes,
    pub(super) pdf: Option<Bytes>,
}

impl Remembered {
    /// Whether all files wanted are there.
    pub(super) fn has(&self, wanted: Wanted) -> bool {
        !wanted.includes_pdf() || self.pdf.is_some()
    }

    fn weight(&self) -> u32 {
        let bytes = OVERHEAD_BYTES + self.xml.len() + self.pdf.as_ref().map_or(0, Bytes::len);
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// Remembers issued proofs, bounded by bytes and age.
#[derive(Clone)]
pub struct ProofMemory(Cache<Subject, Arc<Remembered>>);

impl ProofMemory {
    /// A memory of at most `bytes`, which forgets a proof after `age`.
    pub fn new(bytes: u64, age: Duration) -> Self {
        let cache = Cache::builder()
            .max_capacity(bytes)
            .weigher(|_: &Subject, proof: &Arc<Remembered>| proof.weight())
            .time_to_live(age);
        Self(cache.build())
    }

    pub(super) fn get(&self, subject: &Subject) -> Option<Arc<Remembered>> {
        self.0.get(subject)
    }

    pub(super) fn keep(&self, subject: Subject, proof: Arc<Remembered>) {
        self.0.insert(subject, proof);
    }
}
