//! Reads of the limiter and of the banks' health, each made once per request.
//!
//! Both may be calls to the server that also decides on admissions, and a single query may ask for hundreds:
//! the limit status of each key on each page. So these fields wait until all lists of keys in the request
//! have been read, and then share one call. async-graphql's data loader can't be used: it waits for a fixed
//! time, and its cache has an open security advisory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use application::{BankHealth, InsightsService, KeyError};
use domain::keys::{Environment, KeyId, KeyOverview};
use domain::limits::LimitStatus;
use tokio::sync::{OnceCell, watch};

/// Shared reads of one request.
#[derive(Default)]
pub(crate) struct Readings {
    /// Number of lists of keys that are still being read.
    lists: watch::Sender<usize>,
    /// Keys whose limit status will be read in the next call.
    batch: Mutex<Arc<Batch>>,
    live: OnceCell<BankHealth>,
    test: OnceCell<BankHealth>,
}

/// Keys whose limits are read in one call.
#[derive(Default)]
struct Batch {
    keys: Mutex<Vec<KeyOverview>>,
    read: OnceCell<Result<HashMap<KeyId, LimitStatus>, KeyError>>,
}

/// Guard that counts a list of keys as being read until it is dropped.
pub(super) struct ListReading<'a>(&'a Readings);

impl Drop for ListReading<'_> {
    fn drop(&mut self) {
        self.0.lists.send_modify(|lists| *lists -= 1);
    }
}

impl Readings {
    /// Counts a list of keys as being read, so that [`Self::limit_status`] waits for it.
    pub(super) fn list(&self) -> ListReading<'_> {
        self.lists.send_modify(|lists| *lists += 1);
        ListReading(self)
    }

    /// The status of a key's limits, read together with those of other keys.
    pub(super) async fn limit_status(
        &self,
        insights: &InsightsService,
        key: &KeyOverview,
    ) -> Result<LimitStatus, KeyError> {
        let batch = self.join(key);
        // Let the resolvers of the page's other keys add theirs.
        tokio::task::yield_now().await;
        // The sender is a field of `self`, so the wait can't fail.
        let _ = self.lists.subscribe().wait_for(|lists| *lists == 0).await;
        let read = batch.read.get_or_init(async || {
            let keys = self.close(&batch);
            let limit_statuses = insights.limit_statuses(&keys).await?;
            let ids = keys.iter().map(|key| key.key.id);
            Ok(ids.zip(limit_statuses).collect())
        });
        match read.await {
            Ok(limit_statuses) => Ok(limit_statuses[&key.key.id]),
            Err(error) => Err(error.clone()),
        }
    }

    /// The health of a bank, read once per request.
    pub(super) async fn bank(
        &self,
        insights: &InsightsService,
        environment: Environment,
    ) -> &BankHealth {
        let cell = match environment {
            Environment::Live => &self.live,
            Environment::Test => &self.test,
        };
        cell.get_or_init(|| insights.bank(environment)).await
    }

    /// Adds a key to the current batch, unless it is already in it.
    fn join(&self, key: &KeyOverview) -> Arc<Batch> {
        let batch = Arc::clone(&lock(&self.batch));
        let mut keys = lock(&batch.keys);
        if keys.iter().all(|waiting| waiting.key.id != key.key.id) {
            keys.push(key.clone());
        }
        drop(keys);
        batch
    }

    /// Replaces the current batch with a new one, and returns the keys of the old one.
    fn close(&self, batch: &Arc<Batch>) -> Vec<KeyOverview> {
        let mut waiting = lock(&self.batch);
        if Arc::ptr_eq(&waiting, batch) {
            *waiting = Arc::default();
        }
        lock(&batch.keys).clone()
    }
}

/// Locks a mutex. Poisoning is ignored, since no panic can leave the value inconsistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
