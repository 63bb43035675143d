//! Reading of keys' snapshots; concurrent reads share a query.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use domain::keys::{CountedKey, KeyId};
use domain::month::Month;
use futures::channel::oneshot;
use futures::future::{self, Either};
use ports::outbound::{KeyStore, Snapshot, StoreError};

/// Maximum number of keys that are read in one query.
const MOST_KEYS: usize = 500;

/// Reads the snapshots of many keys. Unknown ids are left out.
///
/// # Errors
/// The store can't be read.
pub(super) async fn read_many(
    store: &dyn KeyStore,
    keys: &[CountedKey],
    month: Month,
) -> Result<HashMap<KeyId, Snapshot>, StoreError> {
    let mut snapshots = HashMap::with_capacity(keys.len());
    for keys in keys.chunks(MOST_KEYS) {
        let ids: Vec<_> = keys.iter().map(|key| key.id).collect();
        snapshots.extend(store.snapshots(&ids, month).await?);
    }
    Ok(snapshots)
}

/// Reads snapshots, with one query at a time. A read is answered by a query that began after the read.
pub(crate) struct SnapshotReader {
    keys: Arc<dyn KeyStore>,
    waiting: Mutex<Vec<Reading>>,
    query: futures::lock::Mutex<()>,
}

/// A read that waits for its query.
struct Reading {
    key: KeyId,
    month: Month,
    answer: oneshot::Sender<Answer>,
}

/// Result of a shared query for one read.
enum Answer {
    /// The key's snapshot; `None` if no key has the id.
    Read(Option<Snapshot>),
    /// The shared query failed, maybe because of another key's row, so the read has to be repeated alone.
    ReadAlone,
}

impl SnapshotReader {
    pub(crate) fn new(keys: Arc<dyn KeyStore>) -> Self {
        Self {
            keys,
            waiting: Mutex::default(),
            query: futures::lock::Mutex::default(),
        }
    }

    /// The snapshot of a key; `None` if no key has the id.
    ///
    /// # Errors
    /// The store can't be read.
    pub(crate) async fn read(
        &self,
        key: KeyId,
        month: Month,
    ) -> Result<Option<Snapshot>, StoreError> {
        loop {
            let (sender, answer) = oneshot::channel();
            self.waiting().push(Reading {
                key,
                month,
                answer: sender,
            });
            let answer = match future::select(answer, self.query.lock()).await {
                Either::Left((answer, _)) => answer.ok(),
                Either::Right((_query, mut answer)) => match answer.try_recv() {
                    Ok(None) => {
                        let readings = self.take(month);
                        if readings.len() == 1 {
                            return self.keys.snapshot(key, month).await;
                        }
                        self.query(readings, month).await;
                        answer.try_recv().ok().flatten()
                    }
                    answered => answered.ok().flatten(),
                },
            };
            match answer {
                Some(Answer::Read(snapshot)) => return Ok(snapshot),
                Some(Answer::ReadAlone) => return self.keys.snapshot(key, month).await,
                // The caller that ran the query was cancelled.
                None => {}
            }
        }
    }

    /// Removes and returns the waiting reads of a month.
    fn take(&self, month: Month) -> Vec<Reading> {
        let mut waiting = self.waiting();
        let (taken, left) = waiting
            .drain(..)
            .filter(|reading| !reading.answer.is_canceled())
            .partition(|reading| reading.month == month);
        *waiting = left;
        taken
    }

    async fn query(&self, readings: Vec<Reading>, month: Month) {
        let ids: Vec<_> = readings.iter().map(|reading| reading.key).collect();
        let read = self.keys.snapshots(&ids, month).await;
        let read = read.map(HashMap::<_, _>::from_iter);
        for Reading { key, answer, .. } in readings {
            let found = read.as_ref().map(|read| read.get(&key).copied());
            // The receiver may be dropped.
            let _ = answer.send(found.map_or(Answer::ReadAlone, Answer::Read));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Reading>> {
        let waiting = self.waiting.lock();
        waiting.expect("nothing panics while it holds the readings")
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use testkit::fakes::{Fault, MemoryStore};
    use uuid::Uuid;

    use super::*;

    fn month() -> Month {
        Month::of("2026-11-20T16:00:00Z".parse().unwrap())
    }

    #[test]
    fn a_reading_outlives_the_one_that_makes_its_query() {
        let store = MemoryStore::default();
        let reader = SnapshotReader::new(Arc::new(store.clone()));
        let read = |key| reader.read(KeyId(Uuid::from_u128(key)), month()).boxed();
        let (mut first, mut second) = (read(1), read(2));
        let query = reader.query.lock().now_or_never();
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        drop(query);
        store.faults().inject_into("snapshots", Fault::Hangs);
        assert!((&mut first).now_or_never().is_none());
        assert_eq!(store.faults().calls().get("snapshots"), Some(&1));
        drop(first);
        store.faults().clear();
        assert!(matches!(second.now_or_never(), Some(Ok(None))));
    }
}
