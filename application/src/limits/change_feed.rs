//! Change feed: applies changes of keys that other processes made to the limiter, and caches the
//! credentials of keys that they created.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::lock::Mutex as AsyncMutex;
use ports::Cause;
use ports::outbound::{Change, ChangeNumber, Clock, KeyStore, Limiter, StoreError};

use crate::admission::CredentialCache;

/// Time without an answer after which the store counts as down: it is polled several times a second.
const SILENCE: Duration = Duration::from_secs(2);
/// Longest time between two calls of the store while many changes are applied.
const HEARTBEAT: Duration = Duration::from_millis(250);

/// Follows the store's changes of keys. A key that another process created is known here, and one that
/// it revoked is refused, once [`ChangeFeed::poll`] ran, so call it several times a second. As nobody else calls the store all
/// the time, the feed also monitors that it answers.
pub struct ChangeFeed {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    credentials: Arc<CredentialCache>,
    clock: Arc<dyn Clock>,
    seen: AsyncMutex<ChangeNumber>,
    store: Mutex<StoreHealth>,
}

/// Health of the store, as of the latest calls.
struct StoreHealth {
    /// Time of the latest answer, on the monotonic clock.
    answered_at: Duration,
    /// Failure since then.
    failure: Option<Cause>,
}

/// The store neither answers nor fails.
#[derive(Debug, thiserror::Error)]
#[error("the store hasn't answered for {0:?}")]
struct Silent(Duration);

impl ChangeFeed {
    /// Follows the changes from now on. The limiter must not use state of a key from before: it may
    /// have missed a change.
    ///
    /// # Errors
    /// Fails when the store can't be read.
    pub async fn start(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        credentials: Arc<CredentialCache>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let seen = keys.newest_change().await?;
        let health = StoreHealth {
            answered_at: clock.monotonic(),
            failure: None,
        };
        Ok(Self {
            keys,
            limiter,
            credentials,
            clock,
            seen: AsyncMutex::new(seen),
            store: Mutex::new(health),
        })
    }

    /// The reason why the store is down; `None` while it answers. Returns at once, from the calls of
    /// [`ChangeFeed::poll`].
    pub fn trouble(&self) -> Option<Cause> {
        let now = self.clock.monotonic();
        let store = self.store();
        let silence = now.saturating_sub(store.answered_at);
        let silent = || (silence >= SILENCE).then(|| Arc::new(Silent(silence)) as Cause);
        store.failure.clone().or_else(silent)
    }

    /// Reads from the store, and records the result as its health.
    async fn read<T>(
        &self,
        reading: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let read = reading.await;
        let now = self.clock.monotonic();
        let mut store = self.store();
        match &read {
            Ok(_) => {
                store.answered_at = now;
                store.failure = None;
            }
            Err(error) => store.failure = Some(Arc::clone(&error.cause)),
        }
        drop(store);
        read
    }

    /// Calls the store, unless it has just answered.
    async fn heartbeat(&self) -> Result<(), StoreError> {
        let silence = self
            .clock
            .monotonic()
            .saturating_sub(self.store().answered_at);
        if silence >= HEARTBEAT {
            self.read(self.keys.newest_change()).await?;
        }
        Ok(())
    }

    fn store(&self) -> MutexGuard<'_, StoreHealth> {
        let health = self.store.lock();
        health.expect("nothing panics while it holds the store's health")
    }

    /// Applies the changes since the last call, and returns their number.
    ///
    /// # Errors
    /// Fails when the store can't be read; nothing is lost, the next call begins at the same place.
    pub async fn poll(&self) -> Result<usize, StoreError> {
        let mut seen = self.seen.lock().await;
        let _round = self.credentials.begin_round();
        let mut applied = 0;
        while self.read(self.keys.newest_change()).await? > *seen {
            let changes = self.read(self.keys.changes(*seen)).await?;
            if changes.is_empty() {
                break;
            }
            // Before the limiter, which may fail: good keys are checked all the same.
            self.cache_credentials(&changes);
            for change in &changes {
                let key = change.credential.counted();
                if let Err(error) = self.limiter.apply(key, change.state).await {
                    return Err(StoreError { cause: error.cause });
                }
                *seen = change.number;
                self.heartbeat().await?;
            }
            applied += changes.len();
        }
        Ok(applied)
    }

    fn cache_credentials(&self, changes: &[Change]) {
        for change in changes {
            let credential = Arc::new(change.credential.clone());
            self.credentials.insert(change.prefix.clone(), credential);
        }
    }

    /// Stops following the changes: nobody waits for the next poll any more.
    pub fn stop(&self) {
        self.credentials.end_rounds();
    }
}
