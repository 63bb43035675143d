//! Carries changes of keys that other processes made to the limiter.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::lock::Mutex as AsyncMutex;
use ports::Cause;
use ports::outbound::{ChangeNumber, Clock, KeyStore, Limiter, StoreError};

/// A store that hasn't answered for so long doesn't: it is asked several times a second.
const SILENCE: Duration = Duration::from_secs(2);
/// It is asked after so long at the latest, also while a limiter is told of many changes.
const PULSE: Duration = Duration::from_millis(250);

/// Follows the store's changes of keys. A revocation made by another process is refused here once
/// [`KeyWatch::catch_up`] ran, so call it several times a second. As nobody else asks the store all
/// the time, the watch also knows whether it answers.
pub struct KeyWatch {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
    seen: AsyncMutex<ChangeNumber>,
    store: Mutex<Answers>,
}

/// How the store answered.
struct Answers {
    /// When it did the last time, on the monotonic clock.
    last: Duration,
    /// Why it didn't since then.
    failure: Option<Cause>,
}

/// The store neither answers nor fails.
#[derive(Debug)]
struct Silent(Duration);

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store hasn't answered for {:?}", self.0)
    }
}

impl std::error::Error for Silent {}

impl KeyWatch {
    /// Follows the changes from now on. The limiter must not go by what it knows of a key from
    /// before: it may have missed a change.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn start(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let seen = keys.newest_change().await?;
        let answers = Answers {
            last: clock.monotonic(),
            failure: None,
        };
        Ok(Self {
            keys,
            limiter,
            clock,
            seen: AsyncMutex::new(seen),
            store: Mutex::new(answers),
        })
    }

    /// Why the store doesn't answer; `None` while it does. Known at once, from the readings of
    /// [`KeyWatch::catch_up`].
    pub fn trouble(&self) -> Option<Cause> {
        let now = self.clock.monotonic();
        let store = self.store();
        let silence = now.saturating_sub(store.last);
        let silent = || (silence >= SILENCE).then(|| Arc::new(Silent(silence)) as Cause);
        store.failure.clone().or_else(silent)
    }

    /// What the store answers, remembered for those who ask whether it does.
    async fn read<T>(
        &self,
        reading: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let read = reading.await;
        let now = self.clock.monotonic();
        let mut store = self.store();
        match &read {
            Ok(_) => {
                store.last = now;
                store.failure = None;
            }
            Err(error) => store.failure = Some(Arc::clone(&error.cause)),
        }
        drop(store);
        read
    }

    /// Asks the store whether it answers, unless it just did.
    async fn feel_pulse(&self) -> Result<(), StoreError> {
        let silence = self.clock.monotonic().saturating_sub(self.store().last);
        if silence >= PULSE {
            self.read(self.keys.newest_change()).await?;
        }
        Ok(())
    }

    fn store(&self) -> MutexGuard<'_, Answers> {
        let answers = self.store.lock();
        answers.expect("nothing panics while it holds the answers")
    }

    /// Applies what changed since the last call, and returns how many changes there were.
    ///
    /// # Errors
    /// When the store can't be read; nothing is lost, the next call begins at the same place.
    pub async fn catch_up(&self) -> Result<usize, StoreError> {
        let mut seen = self.seen.lock().await;
        let mut applied = 0;
        while self.read(self.keys.newest_change()).await? > *seen {
            let changes = self.read(self.keys.changes(*seen)).await?;
            if changes.is_empty() {
                break;
            }
            for change in &changes {
                if let Err(error) = self.limiter.apply(change.key, change.state).await {
                    return Err(StoreError { cause: error.cause });
                }
                *seen = change.number;
                self.feel_pulse().await?;
            }
            applied += changes.len();
        }
        Ok(applied)
    }
}
