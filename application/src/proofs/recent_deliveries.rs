//! Cache of earlier deliveries: of many concurrent requests for a proof, one reads them, and the others
//! continue its count.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use moka::sync::Cache;
use ports::outbound::Clock;

/// Age after which deliveries are read again; deliveries by other replicas are seen with this delay.
const MAX_AGE: Duration = Duration::from_millis(50);
/// Maximum number of proofs in the cache.
const MOST: u64 = 10_000;
/// Time after which entries are evicted.
const KEPT: Duration = Duration::from_mins(1);

/// The customer, and the first mark of the proof.
pub(super) type Key = (CustomerId, ProofMark);

/// Recently read deliveries of proofs. All methods except [`Self::forget`] require the turn of the proof.
pub(super) struct RecentDeliveries {
    clock: Arc<dyn Clock>,
    known: Cache<Key, Known>,
    /// Number of calls of [`Self::forget`].
    forgotten: AtomicU64,
}

#[derive(Clone, Copy)]
struct Known {
    earlier: EarlierDeliveries,
    /// Monotonic time just before they were read.
    since: Duration,
}

/// State just before earlier deliveries are read.
#[derive(Clone, Copy)]
pub(super) struct ReadBegin {
    since: Duration,
    forgotten: u64,
}

impl RecentDeliveries {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let known = Cache::builder().max_capacity(MOST).time_to_live(KEPT);
        Self {
            clock,
            known: known.build(),
            forgotten: AtomicU64::new(0),
        }
    }

    /// The cached deliveries; `None` if they weren't read within [`MAX_AGE`].
    pub(super) fn get(&self, key: &Key) -> Option<EarlierDeliveries> {
        let known = self.known.get(key)?;
        let age = self.clock.monotonic().saturating_sub(known.since);
        (age < MAX_AGE).then_some(known.earlier)
    }

    pub(super) fn begin(&self) -> ReadBegin {
        ReadBegin {
            since: self.clock.monotonic(),
            forgotten: self.forgotten.load(Ordering::SeqCst),
        }
    }

    /// Stores deliveries that were read.
    pub(super) fn keep(&self, key: Key, begin: ReadBegin, earlier: EarlierDeliveries) {
        let since = begin.since;
        self.put(key, Known { earlier, since }, begin.forgotten);
    }

    /// Adds a recorded delivery to the cached ones.
    pub(super) fn count(&self, key: Key, at: DateTime<Utc>) {
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        let Some(known) = self.known.get(&key) else {
            return;
        };
        let earlier = EarlierDeliveries {
            times: known.earlier.times + 1,
            first: known.earlier.first.min(Some(at)).or(Some(at)),
        };
        self.put(key, Known { earlier, ..known }, forgotten);
    }

    /// Removes the deliveries of a proof, because some were or may have been recorded that aren't counted
    /// here.
    pub(super) fn forget(&self, key: &Key) {
        self.forgotten.fetch_add(1, Ordering::SeqCst);
        self.known.invalidate(key);
    }

    /// Stores deliveries, unless [`Self::forget`] was called since then, maybe for the same proof.
    fn put(&self, key: Key, known: Known, forgotten: u64) {
        self.known.insert(key, known);
        if self.forgotten.load(Ordering::SeqCst) != forgotten {
            self.known.invalidate(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::fakes::ManualClock;
    use uuid::Uuid;

    use super::*;

    const KEY: Key = (CustomerId(Uuid::nil()), ProofMark([1; 32]));

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn seen(times: u64, first: Option<i64>) -> EarlierDeliveries {
        let first = first.map(at);
        EarlierDeliveries { times, first }
    }

    fn recent() -> (Arc<ManualClock>, RecentDeliveries) {
        let clock = Arc::new(ManualClock::at(at(100)));
        (clock.clone(), RecentDeliveries::new(clock))
    }

    #[test]
    fn deliveries_are_counted_on_until_they_are_read_again() {
        let (clock, recent) = recent();
        recent.count(KEY, at(7));
        assert_eq!(recent.get(&KEY), None, "nothing was read");
        recent.keep(KEY, recent.begin(), EarlierDeliveries::default());
        assert_eq!(recent.get(&KEY), Some(seen(0, None)));
        recent.count(KEY, at(7));
        assert_eq!(recent.get(&KEY), Some(seen(1, Some(7))));
        clock.advance(Duration::from_millis(49));
        // Admitted before the first one.
        recent.count(KEY, at(6));
        assert_eq!(recent.get(&KEY), Some(seen(2, Some(6))));
        assert_eq!(recent.get(&(KEY.0, ProofMark([2; 32]))), None);
        clock.advance(Duration::from_millis(1));
        assert_eq!(recent.get(&KEY), None);
    }

    #[test]
    fn the_age_is_that_of_the_beginning_of_a_read() {
        let (clock, recent) = recent();
        let begin = recent.begin();
        clock.advance(MAX_AGE);
        recent.keep(KEY, begin, EarlierDeliveries::default());
        assert_eq!(recent.get(&KEY), None);
    }

    #[test]
    fn what_was_forgotten_is_not_kept_by_a_read_that_began_before() {
        let (_, recent) = recent();
        let begin = recent.begin();
        recent.forget(&KEY);
        recent.keep(KEY, begin, EarlierDeliveries::default());
        assert_eq!(recent.get(&KEY), None);
        recent.keep(KEY, recent.begin(), EarlierDeliveries::default());
        recent.forget(&KEY);
        recent.count(KEY, at(7));
        assert_eq!(recent.get(&KEY), None);
    }
}
