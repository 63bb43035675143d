//! Verdicts of the limiter. A key that it doesn't know is hydrated first, with the store's snapshot.

use std::sync::Arc;

use domain::keys::CountedKey;
use domain::limits::LimitStatus;
use domain::month::Month;
use ports::Cause;
use ports::outbound::{Clock, KeyStore, Limiter, Snapshot, UsageJournal, Verdict};

use crate::limits::SnapshotReader;
use crate::sync::places::Places;

/// Maximum number of keys that are hydrated at the same time.
const HYDRATIONS: usize = 64;

/// Asks the limiter about keys.
pub(super) struct Verdicts {
    snapshots: SnapshotReader,
    pub(super) limiter: Arc<dyn Limiter>,
    journal: Arc<dyn UsageJournal>,
    clock: Arc<dyn Clock>,
    /// Locked per key during hydration, so that concurrent requests read the store once.
    hydrating: Places,
}

/// Reason why the limiter gave no verdict.
pub(super) enum NoVerdict {
    UnknownKey,
    Failed(Cause),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for NoVerdict {
    fn from(error: E) -> Self {
        Self::Failed(Arc::new(error))
    }
}

/// The limiter doesn't know a key although it was just hydrated.
#[derive(Debug, thiserror::Error)]
#[error("the limiter does not know a key that it was just given")]
struct Forgotten;

impl Verdicts {
    pub(super) fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        journal: Arc<dyn UsageJournal>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            snapshots: SnapshotReader::new(keys),
            limiter,
            journal,
            clock,
            hydrating: Places::exclusive(HYDRATIONS),
        }
    }

    /// The limiter's verdict; hydrates the key first if the limiter doesn't know it.
    pub(super) async fn verdict(&self, key: CountedKey) -> Result<Verdict, NoVerdict> {
        match self.limiter.admit(key).await? {
            // Boxed because the future is large, and only a key's first request needs it.
            Verdict::Unknown { .. } => Box::pin(self.verdict_on_unknown(key)).await,
            verdict => Ok(verdict),
        }
    }

    /// Hydrates the limiter with a key, and returns its verdict.
    async fn verdict_on_unknown(&self, key: CountedKey) -> Result<Verdict, NoVerdict> {
        let _hydrating = self.hydrating.take(&key).await;
        match self.limiter.admit(key).await? {
            Verdict::Unknown { month } => {
                // Requests may have waited for the lock as long as the store took to answer.
                self.journal.accepts()?;
                self.hydrate(key, month).await?;
                match self.limiter.admit(key).await? {
                    Verdict::Unknown { .. } => Err(Forgotten.into()),
                    verdict => Ok(verdict),
                }
            }
            verdict => Ok(verdict),
        }
    }

    async fn hydrate(&self, key: CountedKey, month: Month) -> Result<(), NoVerdict> {
        // Makes the store's counters include the entries that are still in the journal.
        self.journal.flush().await?;
        let snapshot = self
            .snapshots
            .read(key.id, month)
            .await?
            .ok_or(NoVerdict::UnknownKey)?;
        let hydrated = self.hydrate_with(key, snapshot).await;
        if hydrated.is_err()
            && let Err(error) = self.limiter.forget(key).await
        {
            tracing::error!(%error, "the limiter may keep a key whose state could not be confirmed");
        }
        hydrated
    }

    /// Hydrates the limiter, and reads the key a second time. The limiter keeps changes that were applied
    /// since the first reading, but it may have lost them, or the change feed may not run. So a key whose
    /// second reading fails must not stay known.
    async fn hydrate_with(&self, key: CountedKey, snapshot: Snapshot) -> Result<(), NoVerdict> {
        self.limiter.hydrate(key, snapshot).await?;
        let again = self
            .snapshots
            .read(key.id, snapshot.month)
            .await?
            .ok_or(NoVerdict::UnknownKey)?;
        if again.state != snapshot.state {
            self.limiter.apply(key, again.state).await?;
        }
        Ok(())
    }

    /// Limit status of a key that isn't revoked; hydrates the key if the limiter doesn't know it.
    pub(super) async fn limit_status(&self, key: CountedKey) -> Result<LimitStatus, NoVerdict> {
        if let Some(status) = self.limiter.peek(key).await? {
            return Ok(status);
        }
        let _hydrating = self.hydrating.take(&key).await;
        // Another request may have hydrated the key in the meantime.
        if let Some(status) = self.limiter.peek(key).await? {
            return Ok(status);
        }
        self.journal.accepts()?;
        self.hydrate(key, Month::of(self.clock.now())).await?;
        let status = self.limiter.peek(key).await?;
        status.ok_or(NoVerdict::UnknownKey)
    }
}
