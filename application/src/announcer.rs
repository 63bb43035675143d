//! Telling the limiter what the store has.

use std::sync::Arc;

use domain::key::KeyId;
use domain::month::Month;
use ports::outbound::{Clock, KeyStore, Limiter, Snapshot, StoreError};

/// Tells the limiter of changes that were made in the store, so that they hold before whoever made
/// them hears of it. What fails here isn't lost: the [`KeyWatch`](crate::KeyWatch) tells it again.
pub(crate) struct Announcer {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
}

impl Announcer {
    pub(crate) fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            keys,
            limiter,
            clock,
        }
    }

    /// A key's state, and its use of this month; `None` when no key has the id.
    pub(crate) async fn snapshot(&self, key: KeyId) -> Result<Option<Snapshot>, StoreError> {
        let month = Month::of(self.clock.now());
        self.keys.snapshot(key, month).await
    }

    /// Tells the limiter a key's state, and returns what was read for it.
    pub(crate) async fn announce(&self, key: KeyId) -> Result<Option<Snapshot>, StoreError> {
        let snapshot = self.snapshot(key).await?;
        if let Some(snapshot) = snapshot {
            let applied = self.limiter.apply(key, snapshot.state).await;
            applied.map_err(|error| StoreError { cause: error.cause })?;
        }
        Ok(snapshot)
    }
}
