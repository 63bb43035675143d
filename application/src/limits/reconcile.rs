//! Reconciliation of the shared limiter with the store, to restore state that it lost.

use std::collections::HashMap;
use std::sync::Arc;

use domain::keys::{CountedKey, KeyId};
use domain::month::Month;
use futures::{StreamExt, stream};
use ports::outbound::{KeyStore, StoreError};

use super::active_keys::LimiterView;
use super::fallback::{FallbackLimiter, LimiterMode};

/// Number of keys that are read in one query.
const BATCH: usize = 500;
/// Number of concurrent hydrations; few, because the limiter also has to decide about requests.
const CONCURRENCY: usize = 16;

/// Merges the store's counts and states into the shared limiter, for keys with verdicts since the last
/// [`Reconciliation::round`].
///
/// A shared limiter that lost all its state reports keys as unknown, and they are hydrated. If it lost a
/// part, for example because a lagging replica was promoted or an old backup was restored, it doesn't notice:
/// counts are too low, limits are outdated, and even a revoked key may be valid again. The store has
/// everything, except what journals write within milliseconds. So lost state is restored by the end of the
/// first round after the next request with a key: within a minute if rounds begin every 20 seconds. Counts
/// are merged by maximum, so an outdated reading has no effect.
pub struct Reconciliation {
    limiter: Arc<FallbackLimiter>,
    keys: Arc<dyn KeyStore>,
}

impl Reconciliation {
    /// Creates a reconciliation of `limiter` with `keys`.
    pub fn new(limiter: Arc<FallbackLimiter>, keys: Arc<dyn KeyStore>) -> Self {
        Self { limiter, keys }
    }

    /// Compares the shared limiter's values of each key with the store, and hydrates the keys that differ;
    /// returns their number. Does nothing while the shared limiter is down, and stops if it fails; remaining
    /// keys are kept for the next round.
    ///
    /// # Errors
    /// The store can't be read; the next round continues with the remaining keys.
    pub async fn round(&self) -> Result<usize, StoreError> {
        if self.limiter.mode() == LimiterMode::Degraded {
            return Ok(0);
        }
        let mut left = self.limiter.active_keys().take();
        let merged = self.merge(&mut left).await;
        self.limiter.active_keys().put_back(left);
        merged
    }

    /// Removes reconciled keys from `left`.
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

/// The keys by the month of their counts, by the shared limiter's clock. There may be two months in the first
/// seconds of a month.
fn by_month(views: &HashMap<CountedKey, LimiterView>) -> HashMap<Month, Vec<CountedKey>> {
    let mut months = HashMap::<_, Vec<_>>::new();
    for (key, view) in views {
        months.entry(view.month()).or_default().push(*key);
    }
    months
}
