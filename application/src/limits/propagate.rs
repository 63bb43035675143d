//! Propagation of changed keys from the store to the limiter.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::key::{CountedKey, KeyId};
use domain::month::Month;
use ports::outbound::{Clock, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Timer};

/// Time for which a limiter that fails is retried before the change is acknowledged. Change feeds
/// poll four times a second, and a call that fails takes a fifth of a second unless an operator
/// says otherwise, after which each key is resynchronised within a second: by then each process that
/// runs has applied the change to the shared limiter, or has noticed that it can't and decides by
/// the store.
const RETRY_FOR: Duration = Duration::from_secs(2);
/// Time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Applies changes that were made in the store to the limiter, so that they hold before they are
/// acknowledged. One that fails here isn't lost: the [`ChangeFeed`](crate::ChangeFeed) applies it
/// again.
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
    /// The key was read, and the limiter failed.
    #[error("{error}")]
    Limiter {
        /// The snapshot that was read.
        snapshot: Snapshot,
        /// The failure.
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

    /// Applies a key's state once, and returns the snapshot with its usage of this month; `None`
    /// when no key has the id.
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

    /// Returns the keys' snapshots once the changes hold in every process: when the limiter applied
    /// them, or has failed for so long that no process decides by it without having applied them.
    ///
    /// # Errors
    /// Fails when the store can't be read to the end, so that it isn't known who follows it.
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
                // A key that the limiter missed is no reason for the others to wait, but a thousand
                // of them are no reason to wait a thousand times.
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
