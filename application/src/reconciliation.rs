//! Tells the shared limiter again what it may have lost.

use std::collections::HashMap;
use std::sync::Arc;

use domain::key::KeyId;
use domain::month::Month;
use futures::{StreamExt, stream};
use ports::outbound::{KeyStore, StoreError};

use crate::degrading::{FallbackLimiter, LimiterMode, Said};

/// Keys that are read at once.
const READ_AT_ONCE: usize = 500;
/// Keys that are told at the same time: the limiter has requests to decide about meanwhile.
const TOLD_AT_ONCE: usize = 16;

/// Merges the store's records into the shared limiter, for keys that it decided about since the
/// last [`Reconciliation::round`].
///
/// A shared limiter that lost all it knew says so, and is told. One that lost a part of it doesn't
/// notice: a replica of it that lagged and was promoted, or an old copy that was restored, has too
/// low a count, limits of before, even a key that isn't revoked any more. The store has all of it,
/// or all but what journals write within milliseconds. So whatever was lost holds again at the end
/// of the first round after a key is asked for: when rounds begin every 20 seconds, within a minute.
/// Merged by maximum, so that a reading that is late by then harms nothing.
pub struct Reconciliation {
    limiter: Arc<FallbackLimiter>,
    keys: Arc<dyn KeyStore>,
}

impl Reconciliation {
    /// Reconciles `limiter` with what `keys` has.
    pub fn new(limiter: Arc<FallbackLimiter>, keys: Arc<dyn KeyStore>) -> Self {
        Self { limiter, keys }
    }

    /// Compares what the shared limiter said of each key with the store, and tells it where they
    /// differ; returns how many keys that were. Does nothing while the shared limiter is down, and
    /// ends when it fails; what is left is left for the next round.
    ///
    /// # Errors
    /// When the store can't be read; the next round begins at the same place.
    pub async fn round(&self) -> Result<usize, StoreError> {
        if self.limiter.mode() == LimiterMode::Degraded {
            return Ok(0);
        }
        let mut left = self.limiter.active().take();
        let merged = self.merge(&mut left).await;
        self.limiter.active().put_back(left);
        merged
    }

    /// Takes out of `left` what agrees then.
    async fn merge(&self, left: &mut HashMap<KeyId, Said>) -> Result<usize, StoreError> {
        let mut merged = 0;
        for (month, keys) in by_month(left) {
            for some in keys.chunks(READ_AT_ONCE) {
                let snapshots = self.keys.snapshots(some, month).await?;
                let differ = snapshots
                    .into_iter()
                    .filter(|(key, snapshot)| !left[key].agrees_with(snapshot));
                let remind = |(key, snapshot)| self.limiter.remind(key, snapshot);
                let mut reminded = stream::iter(differ)
                    .map(remind)
                    .buffer_unordered(TOLD_AT_ONCE);
                while let Some(answer) = reminded.next().await {
                    if answer.is_err() {
                        return Ok(merged);
                    }
                    merged += 1;
                }
                drop(reminded);
                for key in some {
                    left.remove(key);
                }
            }
        }
        Ok(merged)
    }
}

/// The keys by the month that was decided about: in the first seconds of a month there may be two,
/// and the shared limiter's clock says which, not ours.
fn by_month(said: &HashMap<KeyId, Said>) -> HashMap<Month, Vec<KeyId>> {
    let mut months = HashMap::<_, Vec<_>>::new();
    for (key, said) in said {
        months.entry(said.month()).or_default().push(*key);
    }
    months
}
