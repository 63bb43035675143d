//! Propagation of changed keys from the store to the limiter.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::keys::{CountedKey, KeyId};
use domain::month::Month;
use ports::outbound::{Clock, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Timer};

/// Time for which a failing limiter is retried before the change is acknowledged. Change feeds poll four
/// times a second; a failing call takes 200 ms by default, and each key is resynchronised within a second
/// afterwards. So after this time, every running process has applied the change to the shared limiter, or has
/// noticed its failure and decides by the store.
const RETRY_FOR: Duration = Duration::from_secs(2);
/// Pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Applies changes that were made in the store to the limiter, so that they are effective before they are
/// acknowledged. A change that fails here is applied again by the [`ChangeFeed`](crate::ChangeFeed).
pub(crate) struct ChangePropagator {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
}

/// Reason why a key's state wasn't applied to the limiter.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PropagationError {
    /// The key can't be read.
    #[error(transparent)]
    Store(StoreError),
    /// The key was read, but the limiter failed.
    #[error("{error}")]
    Limiter {
        snapshot: Snapshot,
        error: LimiterError,
    },
}

impl ChangePropagator {
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

    /// Applies a key's state once, and returns its snapshot with the use of this month; `None` if no key has
    /// the id.
    pub(crate) async fn apply(
        &self,
        key: CountedKey,
    ) -> Result<Option<Snapshot>, PropagationError> {
        let month = Month::of(self.clock.now());
        let snapshot = self.keys.snapshot(key.id, month).await;
        let snapshot = snapshot.map_err(PropagationError::Store)?;
        if let Some(snapshot) = snapshot {
            let applied = self.limiter.apply(key, snapshot.state).await;
            applied.map_err(|error| PropagationError::Limiter { snapshot, error })?;
        }
        Ok(snapshot)
    }

    /// Returns the keys' snapshots once the changes are effective in every process: the limiter applied them,
    /// or has failed for so long that no process decides by it any more.
    ///
    /// # Errors
    /// The store can't be read, so it isn't known which processes still follow it.
    pub(crate) async fn propagate(
        &self,
        keys: &[CountedKey],
        timer: &dyn Timer,
    ) -> Result<HashMap<KeyId, Snapshot>, StoreError> {
        let started = self.clock.monotonic();
        let is_late = || self.clock.monotonic().saturating_sub(started) >= RETRY_FOR;
        let mut snapshots = HashMap::new();
        let mut left = keys.to_vec();
        loop {
            let mut failure = None;
            let mut missed = Vec::new();
            for key in left {
                // If the limiter fails for one key, the others are tried without delay, but not after the
                // time limit, because each failing call takes time.
                if failure.is_some() && is_late() {
                    missed.push(key);
                    continue;
                }
                match self.apply(key).await {
                    Ok(snapshot) => snapshots.extend(snapshot.map(|snapshot| (key.id, snapshot))),
                    Err(error) => {
                        missed.push(key);
                        if let PropagationError::Limiter { snapshot, .. } = error {
                            snapshots.insert(key.id, snapshot);
                        }
                        failure = Some(error);
                    }
                }
            }
            let Some(error) = failure else {
                return Ok(snapshots);
            };
            if !is_late() {
                left = missed;
                timer.pause(RETRY_INTERVAL).await;
                continue;
            }
            return match error {
                PropagationError::Store(error) => Err(error),
                PropagationError::Limiter { error, .. } => {
                    let keys = missed.len();
                    tracing::warn!(
                        keys, %error,
                        "changed keys could not be applied to the limiter; they hold by the store"
                    );
                    Ok(snapshots)
                }
            };
        }
    }
}
