//! Reconciliation of the shared limiter with the store, to restore state that it lost.

use std::collections::HashMap;
use std::sync::Arc;

use domain::keys::CountedKey;
use domain::month::Month;
use futures::{StreamExt, stream};
use ports::outbound::{KeyStore, StoreError};

use super::fallback::{FallbackLimiter, LimiterMode};
use super::snapshots::read_many;
use super::sync_table::LimiterView;

/// Number of concurrent repairs; few, because the limiter also has to decide about requests.
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

    /// Compares the shared limiter's values of each key with the store, and resynchronises the keys that
    /// differ; returns their number. Does nothing while the shared limiter is down, and stops if it fails; the
    /// next round compares these keys again.
    ///
    /// # Errors
    /// The store can't be read.
    pub async fn round(&self) -> Result<usize, StoreError> {
        let mut repaired = 0;
        if self.limiter.mode() == LimiterMode::Degraded {
            return Ok(repaired);
        }
        let views = self.limiter.sync_table().views();
        for (month, views) in by_month(views) {
            let keys: Vec<_> = views.keys().copied().collect();
            let snapshots = read_many(&*self.keys, &keys, month).await?;
            let mut differ = keys;
            differ.retain(|key| {
                let snapshot = snapshots.get(&key.id);
                snapshot.is_some_and(|snapshot| !views[key].agrees_with(snapshot))
            });
            let mut repairs = stream::iter(differ)
                .map(|key| self.limiter.repair(key))
                .buffer_unordered(CONCURRENCY);
            while let Some(is_repaired) = repairs.next().await {
                if !is_repaired? {
                    return Ok(repaired);
                }
                repaired += 1;
            }
            self.limiter.sync_table().compared(&views);
        }
        Ok(repaired)
    }
}

/// The verdicts by the month of their counts, by the shared limiter's clock. There may be two months in the
/// first seconds of a month.
fn by_month(
    views: HashMap<CountedKey, LimiterView>,
) -> HashMap<Month, HashMap<CountedKey, LimiterView>> {
    let mut months = HashMap::<_, HashMap<_, _>>::new();
    for (key, view) in views {
        months.entry(view.month).or_default().insert(key, view);
    }
    months
}
