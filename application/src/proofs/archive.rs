//! The archive of issued proofs: encrypted entries in the shared database, read if a proof isn't in the
//! memory of the process.
//!
//! Failures of the archive never fail a request. A read takes at most a second, and none is made while the
//! circuit breaker is open because the database keeps failing. Writes run after the answer.
//! keeps failing (a circuit breaker); writes go on after the answer, one at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::proofs::Proof;
use domain::proofs::archive::{ArchiveKeys, ArchiveSecrets};
use domain::request::RequestId;
use futures::channel::oneshot;
use futures::future::{Either, select};
use futures::{FutureExt as _, pin_mut};
use ports::Cause;
use ports::outbound::{
    ArchivedProof, BankFiles, Cipher, Clock, ProofArchive, SealChecks, StoreError, Timer,
};
use tracing::Instrument as _;

use super::acceptance::{accept, checked};
use super::memory::{CachedProof, Origin, Subject};
use super::pending_write::PendingWrite;
use crate::metrics;
use crate::sync::SpawnTask;
use crate::sync::circuit::{Circuit, Service};
use crate::sync::places::Places;
use content::{Content, Damaged};

mod content;

/// Longest time that a lookup waits for the archive before it queries the bank.
const READ_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time of a write. No caller waits that long for it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of concurrent writes, as many as the store combines in one step.
const MOST_WRITING: usize = 128;
/// Maximum size of proofs that wait to be written, some thousand XMLs. Further proofs aren't archived.
const MAX_WAITING_BYTES: usize = 16 << 20;

const ARCHIVE: Service = Service {
    name: "archive of proofs",
    fails: "the archive of proofs fails: it is left out, but for one call at a time",
    answers: "the archive of proofs works again",
};

/// Dependencies of an [`ArchiveService`].
pub struct ArchiveParts {
    /// Store of the encrypted entries.
    pub store: Arc<dyn ProofArchive>,
    /// Encrypts and decrypts entries.
    pub cipher: Arc<dyn Cipher>,
    /// Secrets from which the entries' indexes and keys are derived.
    pub secrets: ArchiveSecrets,
    /// Maximum age of an entry that may be delivered.
    pub retention: TimeDelta,
    /// Current time, for the age of entries, and for the circuit breaker.
    pub clock: Arc<dyn Clock>,
    /// Timer for the time limits of reads and writes.
    pub timer: Arc<dyn Timer>,
    /// Spawns the task of a write.
    pub spawn: SpawnTask,
}

/// The archive of issued proofs.
pub struct ArchiveService {
    parts: ArchiveParts,
    circuit: Circuit,
    /// Locked per transfer while its entry is written or removed, so that a removal covers all earlier
    /// writes.
    writing: Places,
    waiting_bytes: AtomicUsize,
    dropped: AtomicU64,
}

impl ArchiveService {
    /// Creates an archive from its dependencies.
    pub fn new(parts: ArchiveParts) -> Self {
        Self {
            circuit: Circuit::new(ARCHIVE, Arc::clone(&parts.clock)),
            parts,
            writing: Places::exclusive(MOST_WRITING),
            waiting_bytes: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
        }
    }

    /// Number of proofs that were not written, because too many waited or the circuit was open.
    pub fn dropped_writes(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// The archived proof of a transfer, with its seal checked now; `None` if there is none, it can't be read
    /// in time, or it is damaged.
    pub(super) async fn read(
        &self,
        subject: &Subject,
        seals: &dyn SealChecks,
        request_id: &RequestId,
    ) -> Option<CachedProof> {
        let keys = self.keys(subject);
        let entries = self.entries(&keys, request_id).await?;
        // In the order of the secrets, the newest first.
        keys.iter().find_map(|keys| {
            let entry = entries.iter().find(|entry| entry.index == keys.index)?;
            let opened = self.open(keys, entry, subject, seals);
            opened
                .inspect_err(|cause| {
                    let entry = keys.index.hex();
                    tracing::warn!(%request_id, %entry, %cause, "an archived proof can't be used: the bank is asked");
                })
                .ok()
        })
    }

    /// The entries with these indexes; `None` if they can't be read.
    async fn entries(
        &self,
        keys: &[ArchiveKeys],
        request_id: &RequestId,
    ) -> Option<Vec<ArchivedProof>> {
        let call = self.circuit.begin_call()?;
        let indexes: Vec<_> = keys.iter().map(|keys| keys.index).collect();
        let since = self.parts.clock.now() - self.parts.retention;
        let reading = self.parts.store.archived_proofs(&indexes, since);
        let read = call.end(self.in_time(READ_TIMEOUT, reading).await);
        metrics::archive_read(&read);
        read.inspect_err(|cause| {
            tracing::warn!(%request_id, %cause, "the archive of proofs can't be read: the bank is asked");
        })
        .ok()
    }

    /// Decrypts an entry, and checks that its proof matches the transfer.
    fn open(
        &self,
        keys: &ArchiveKeys,
        entry: &ArchivedProof,
        subject: &Subject,
        seals: &dyn SealChecks,
    ) -> Result<CachedProof, Cause> {
        let cipher = &self.parts.cipher;
        let plain = cipher.decrypt(&keys.content, &keys.index.0, &entry.content);
        let plain = plain.map_err(|error| Arc::new(error) as Cause)?;
        let content = Content::decode(plain.into());
        let content = content.map_err(|error: Damaged| Arc::new(error) as Cause)?;
        let files = BankFiles {
            xml: Some(content.xml),
            pdf: None,
        };
        let check = |proof: &Proof| checked(seals, subject.environment, proof);
        let accepted = accept(&subject.transfer, None, files, check);
        let accepted = accepted.map_err(|error| Arc::new(error) as Cause)?;
        Ok(CachedProof {
            pdf: content.pdf,
            origin: Origin::Archive,
            ..accepted
        })
    }

    /// Writes a proof in a separate task; `None` if too many wait to be written. A proof whose write fails
    /// isn't archived.
    pub(super) fn write(
        self: &Arc<Self>,
        subject: &Subject,
        proof: &CachedProof,
        request_id: RequestId,
    ) -> Option<PendingWrite> {
        let content = Content::of(proof);
        let size = content.len();
        let waiting = self.waiting_bytes.fetch_add(size, Ordering::Relaxed);
        let place = WaitingPlace {
            archive: Arc::clone(self),
            size,
        };
        if waiting.saturating_add(size) > MAX_WAITING_BYTES {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(%request_id, "a proof isn't archived: too many wait to be written");
            return None;
        }
        let subject = subject.clone();
        let (ends, ended) = oneshot::channel::<()>();
        let write = async move {
            let _ends = ends;
            let archive = &place.archive;
            if let Err(cause) = archive.write_now(&subject, &content).await {
                tracing::warn!(%request_id, %cause, "a proof could not be archived");
            }
        };
        (self.parts.spawn)(write.in_current_span().boxed());
        let timer = Arc::clone(&self.parts.timer);
        Some(PendingWrite::new(ended, timer))
    }

    async fn write_now(&self, subject: &Subject, content: &Content) -> Result<(), Cause> {
        let keys = self.keys(subject);
        let Some(keys) = keys.first() else {
            return Ok(());
        };
        let _turn = self.writing.take(&keys.index).await;
        let Some(plain) = content.encode() else {
            return Err(Arc::new(TooLarge));
        };
        let cipher = &self.parts.cipher;
        let content = cipher.encrypt(&keys.content, &keys.index.0, &plain);
        let entry = ArchivedProof {
            index: keys.index,
            content: content.map_err(|error| Arc::new(error) as Cause)?,
        };
        let Some(call) = self.circuit.begin_call() else {
            // The breaker has logged the reason.
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        let writing = self
            .parts
            .store
            .archive_proof(&entry, self.parts.clock.now());
        let written = call.end(self.in_time(WRITE_TIMEOUT, writing).await);
        metrics::archive_written(&written, entry.content.len());
        written.map_err(|error| Arc::new(error) as Cause)
    }

    /// Removes the proof of a transfer. If that fails, the proof can be delivered until it reaches the
    /// maximum age.
    pub(super) async fn remove(&self, subject: &Subject, request_id: &RequestId) {
        let indexes: Vec<_> = self.keys(subject).iter().map(|keys| keys.index).collect();
        let _turn = match indexes.first() {
            Some(index) => self.writing.take(index).await,
            None => return,
        };
        let Some(call) = self.circuit.begin_call() else {
            tracing::warn!(%request_id, "a proof of a payment that was returned stays archived: the archive fails");
            return;
        };
        let removing = self.parts.store.remove_archived(&indexes);
        let removed = call.end(self.in_time(WRITE_TIMEOUT, removing).await);
        if let Err(cause) = removed {
            tracing::warn!(%request_id, %cause, "a proof of a payment that was returned stays archived");
        }
    }

    fn keys(&self, subject: &Subject) -> Vec<ArchiveKeys> {
        let secrets = &self.parts.secrets;
        secrets.keys(subject.environment, &subject.transfer)
    }

    /// Awaits a call of the store; an error if it takes longer than `timeout`.
    async fn in_time<T>(
        &self,
        timeout: Duration,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let pause = self.parts.timer.pause(timeout);
        pin_mut!(call, pause);
        match select(call, pause).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(StoreError {
                cause: Arc::new(TimedOut(timeout)),
            }),
        }
    }
}

/// Size of a proof that waits to be written, counted until this is dropped.
struct WaitingPlace {
    archive: Arc<ArchiveService>,
    size: usize,
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        let waiting = &self.archive.waiting_bytes;
        waiting.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// The proof exceeds the maximum size of an entry.
#[derive(Debug, thiserror::Error)]
#[error("its files have more than {} bytes together", content::MAX_BYTES)]
struct TooLarge;

/// A call of the store exceeded this time limit.
#[derive(Debug, thiserror::Error)]
#[error("the database doesn't answer within {0:?}")]
struct TimedOut(Duration);
