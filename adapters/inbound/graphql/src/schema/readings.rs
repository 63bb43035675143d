//! Readings of the limiter and of the banks' budgets, each made once a request.
//!
//! Both may be calls of a server that decides on admissions, and a query asks for them by the
//! hundred: the window of each key on each page. So the windows of a request wait until its last
//! list of keys has been read, and are read together. The library's data loader can't be used: it
//! waits for a span of time, and its cache has an open advisory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use application::{BankHealth, InsightsService, KeyError};
use domain::key::{Environment, KeyId, KeyOverview};
use domain::limits::LimitStatus;
use tokio::sync::{OnceCell, watch};

/// Readings of one request.
#[derive(Default)]
pub(crate) struct Readings {
    /// Lists of keys that are being read.
    lists: watch::Sender<usize>,
    /// The windows that wait to be read together.
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

/// A list of keys that is being read, until it is dropped.
pub(super) struct ListReading<'a>(&'a Readings);

impl Drop for ListReading<'_> {
    fn drop(&mut self) {
        self.0.lists.send_modify(|lists| *lists -= 1);
    }
}

impl Readings {
    /// Announces that keys are being read, whose windows may be asked for.
    pub(super) fn list(&self) -> ListReading<'_> {
        self.lists.send_modify(|lists| *lists += 1);
        ListReading(self)
    }

    /// The state of a key's limits.
    pub(super) async fn limit_status(
        &self,
        insights: &InsightsService,
        key: &KeyOverview,
    ) -> Result<LimitStatus, KeyError> {
        let batch = self.join(key);
        // The other keys of the page join.
        tokio::task::yield_now().await;
        // The sender is part of `self`, so the wait can't fail.
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

    /// Health of a bank.
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

    /// Adds a key to the windows that wait, unless it is one of them.
    fn join(&self, key: &KeyOverview) -> Arc<Batch> {
        let batch = Arc::clone(&lock(&self.batch));
        let mut keys = lock(&batch.keys);
        if keys.iter().all(|waiting| waiting.key.id != key.key.id) {
            keys.push(key.clone());
        }
        drop(keys);
        batch
    }

    /// Lets nobody join a batch any more, and returns its keys.
    fn close(&self, batch: &Arc<Batch>) -> Vec<KeyOverview> {
        let mut waiting = lock(&self.batch);
        if Arc::ptr_eq(&waiting, batch) {
            *waiting = Arc::default();
        }
        lock(&batch.keys).clone()
    }
}

/// Locks a value, which is whole at all times.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
