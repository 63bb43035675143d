//! Propagation of changed keys from the store to the limiter.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use domain::keys::{CountedKey, KeyId};
use domain::month::Month;
use ports::Cause;
use ports::outbound::{Clock, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Timer};

use super::snapshots::read_many;

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

    /// Applies a key's state once.
    pub(crate) async fn apply(&self, key: CountedKey) -> Result<(), Cause> {
        let month = Month::of(self.clock.now());
        let snapshot = self.keys.snapshot(key.id, month).await;
        let Some(snapshot) = snapshot.map_err(|error| error.cause)? else {
            return Ok(());
        };
        let applied = self.limiter.apply(key, snapshot.state).await;
        applied.map_err(|error| error.cause)
    }

    /// Returns the keys' snapshots, with the use of this month, once the changes are effective in every
    /// process: the limiter applied them, or has failed for so long that no process decides by it any more.
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
        let month = Month::of(self.clock.now());
        let mut missed = keys.to_vec();
        loop {
            let read = read_many(&*self.keys, keys, month).await;
            let failure = match &read {
                Ok(snapshots) => self.apply_all(&mut missed, snapshots, is_late).await,
                Err(_) => None,
            };
            match (read, failure) {
                (Ok(snapshots), None) => return Ok(snapshots),
                (Ok(snapshots), Some(error)) if is_late() => {
                    let keys = missed.len();
                    tracing::warn!(
                        keys, %error,
                        "changed keys could not be applied to the limiter; they hold by the store"
                    );
                    return Ok(snapshots);
                }
                (Err(error), _) if is_late() => return Err(error),
                _ => timer.pause(RETRY_INTERVAL).await,
            }
        }
    }

    /// Applies the states of keys; removes those that were applied, and returns the last failure. If the
    /// limiter fails for one key, the others are tried without delay, but not after the time limit, because
    /// each failing call takes time.
    async fn apply_all(
        &self,
        keys: &mut Vec<CountedKey>,
        snapshots: &HashMap<KeyId, Snapshot>,
        is_late: impl Fn() -> bool,
    ) -> Option<LimiterError> {
        let mut failure = None;
        for key in mem::take(keys) {
            let Some(snapshot) = snapshots.get(&key.id) else {
                continue;
            };
            if failure.is_some() && is_late() {
                keys.push(key);
            } else if let Err(error) = self.limiter.apply(key, snapshot.state).await {
                keys.push(key);
                failure = Some(error);
            }
        }
        failure
    }
}
