//! Reconciliation of the shared limiter with the store: restores what it may have lost.

use std::collections::HashMap;
use std::sync::Arc;

use domain::key::{CountedKey, KeyId};
use domain::month::Month;
use futures::{StreamExt, stream};
use ports::outbound::{KeyStore, StoreError};

use super::active_keys::LimiterView;
use super::fallback::{FallbackLimiter, LimiterMode};

/// Keys of one reading.
const BATCH: usize = 500;
/// Keys that are hydrated at the same time: the limiter has requests to decide about meanwhile.
const CONCURRENCY: usize = 16;

/// Merges the store's records into the shared limiter, for keys that it decided about since the
/// last [`Reconciliation::round`].
///
/// A shared limiter that lost all its state reports its keys as unknown, and they are hydrated. One
/// that lost a part of it doesn't notice: a replica of it that lagged and was promoted, or an old
/// copy that was restored, has too low a count, limits of before, even a key that isn't revoked any
/// more. The store has all of it, or all but what journals write within milliseconds. So whatever
/// was lost holds again at the end of the first round after a key is asked for: when rounds begin
/// every 20 seconds, within a minute. Merged by maximum, so that a stale reading harms nothing.
pub struct Reconciliation {
    limiter: Arc<FallbackLimiter>,
    keys: Arc<dyn KeyStore>,
}

impl Reconciliation {
    /// A reconciliation of `limiter` with `keys`.
    pub fn new(limiter: Arc<FallbackLimiter>, keys: Arc<dyn KeyStore>) -> Self {
        Self { limiter, keys }
    }

    /// Compares the shared limiter's view of each key with the store, and hydrates it where they
    /// differ; returns the number of those keys. Does nothing while the shared limiter is down, and
    /// ends when it fails; the keys that are left stay for the next round.
    ///
    /// # Errors
    /// Fails when the store can't be read; the next round begins at the same place.
    pub async fn round(&self) -> Result<usize, StoreError> {
        if self.limiter.mode() == LimiterMode::Degraded {
            return Ok(0);
        }
        let mut left = self.limiter.active_keys().take();
        let merged = self.merge(&mut left).await;
        self.limiter.active_keys().put_back(left);
        merged
    }

    /// Removes the keys from `left` that are reconciled.
    async fn merge(
        &self,
        left: &mut HashMap<CountedKey, LimiterView>,
    ) -> Result<usize, StoreError> {
        let mut merged = 0;
        for (month, keys) in by_month(left) {
            for batch in keys.chunks(BATCH) {
                let ids: Vec<_> = batch.iter().map(|key| key.id).collect();
                let snapshots = self.keys.snapshots(&ids, month).await?;
                let snapshots: HashMap<KeyId, _> = snapshots.into_iter().collect();
                let mut differ = Vec::new();
                for key in batch {
                    if let Some(snapshot) = snapshots.get(&key.id)
                        && !left[key].agrees_with(snapshot)
                    {
                        differ.push((*key, *snapshot));
                    }
                }
                let rehydrate = |(key, snapshot)| self.limiter.rehydrate(key, snapshot);
                let mut rehydrated = stream::iter(differ)
                    .map(rehydrate)
                    .buffer_unordered(CONCURRENCY);
                while let Some(result) = rehydrated.next().await {
                    if result.is_err() {
                        return Ok(merged);
                    }
                    merged += 1;
                }
                drop(rehydrated);
                for key in batch {
                    left.remove(key);
                }
            }
        }
        Ok(merged)
    }
}

/// The keys by the month of their view: in the first seconds of a month there may be two, by the
/// shared limiter's clock, not ours.
fn by_month(views: &HashMap<CountedKey, LimiterView>) -> HashMap<Month, Vec<CountedKey>> {
    let mut months = HashMap::<_, Vec<_>>::new();
    for (key, view) in views {
        months.entry(view.month()).or_default().push(*key);
    }
    months
}
