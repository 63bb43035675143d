//! Change feed: applies other processes' changes of keys to the limiter, and caches the credentials of keys
//! that they created.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::lock::Mutex as AsyncMutex;
use ports::Cause;
use ports::outbound::{Change, ChangeNumber, Clock, KeyStore, Limiter, StoreError};

use crate::admission::CredentialCache;

/// Time without an answer after which the store counts as down, although it is polled several times a second.
const SILENCE: Duration = Duration::from_secs(2);
/// Longest time between two calls of the store while many changes are applied.
const HEARTBEAT: Duration = Duration::from_millis(250);

/// Follows the store's changes of keys. A key that another process created is accepted, and one that it
/// revoked is refused, once [`ChangeFeed::poll`] has run, so it has to be called several times a second.
/// Since it calls the store continuously, the feed also monitors the store's health.
pub struct ChangeFeed {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    credentials: Arc<CredentialCache>,
    clock: Arc<dyn Clock>,
    seen: AsyncMutex<ChangeNumber>,
    store: Mutex<StoreHealth>,
}

/// Health of the store by the latest calls.
struct StoreHealth {
    /// Monotonic time of the latest answer.
    answered_at: Duration,
    /// Failure since the latest answer; `None` if there was none.
    failure: Option<Cause>,
}

/// The store has given neither an answer nor an error for this time.
#[derive(Debug, thiserror::Error)]
#[error("the store hasn't answered for {0:?}")]
struct Silent(Duration);

impl ChangeFeed {
    /// Follows the changes from now on. The limiter must not hold state of keys from before, because changes
    /// may have been missed.
    ///
    /// # Errors
    /// The store can't be read.
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

    /// The reason why the store is down; `None` while it answers. Returns at once, with the results of the
    /// calls of [`ChangeFeed::poll`].
    pub fn trouble(&self) -> Option<Cause> {
        let now = self.clock.monotonic();
        let store = self.store();
        let silence = now.saturating_sub(store.answered_at);
        let silent = || (silence >= SILENCE).then(|| Arc::new(Silent(silence)) as Cause);
        store.failure.clone().or_else(silent)
    }

    /// Awaits a read from the store, and records the result as its health.
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
    /// The store or the limiter failed; the next call continues at the same change.
    pub async fn poll(&self) -> Result<usize, StoreError> {
        let mut seen = self.seen.lock().await;
        let _round = self.credentials.begin_round();
        let mut applied = 0;
        while self.read(self.keys.newest_change()).await? > *seen {
            let changes = self.read(self.keys.changes(*seen)).await?;
            if changes.is_empty() {
                break;
            }
            // Done before the limiter is called, which may fail, so that new keys can be verified anyway.
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

    /// Stops following the changes; requests that wait for the next poll continue.
    pub fn stop(&self) {
        self.credentials.end_rounds();
    }
}
