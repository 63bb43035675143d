//! Carries changes of keys that other processes made to the limiter.

use std::sync::Arc;

use futures::lock::Mutex;
use ports::outbound::{ChangeNumber, KeyStore, Limiter, StoreError};

/// Changes that a limiter is told of again when a process starts: more than are made while no
/// process runs, and told within a second or two.
const TOLD_AGAIN: u64 = 10_000;

/// Follows the store's changes of keys. A revocation made by another process is refused here once
/// [`KeyWatch::catch_up`] ran, so call it several times a second.
pub struct KeyWatch {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    seen: Mutex<ChangeNumber>,
}

impl KeyWatch {
    /// Follows the changes from now on. The limiter must not know any key yet.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn start(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
    ) -> Result<Self, StoreError> {
        let seen = keys.newest_change().await?;
        Ok(Self::after(seen, keys, limiter))
    }

    /// Follows the changes from a little while ago on, for a limiter that outlives this process: it
    /// may have missed changes that were made while nobody was there to tell it of them. Telling it
    /// twice does no harm.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn resume(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
    ) -> Result<Self, StoreError> {
        let newest = keys.newest_change().await?;
        let seen = ChangeNumber(newest.0.saturating_sub(TOLD_AGAIN));
        Ok(Self::after(seen, keys, limiter))
    }

    fn after(seen: ChangeNumber, keys: Arc<dyn KeyStore>, limiter: Arc<dyn Limiter>) -> Self {
        Self {
            keys,
            limiter,
            seen: Mutex::new(seen),
        }
    }

    /// Applies what changed since the last call, and returns how many changes there were.
    ///
    /// # Errors
    /// When the store can't be read; nothing is lost, the next call begins at the same place.
    pub async fn catch_up(&self) -> Result<usize, StoreError> {
        let mut seen = self.seen.lock().await;
        let mut applied = 0;
        while self.keys.newest_change().await? > *seen {
            let changes = self.keys.changes(*seen).await?;
            if changes.is_empty() {
                break;
            }
            for change in &changes {
                if let Err(error) = self.limiter.apply(change.key, change.state).await {
                    return Err(StoreError { cause: error.cause });
                }
                *seen = change.number;
            }
            applied += changes.len();
        }
        Ok(applied)
    }
}
