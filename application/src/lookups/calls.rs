//! Reads and removals of stored lookups by callers with an API key.

use std::time::Duration;

use domain::keys::Environment;
use domain::lookups::LookupId;
use domain::page::Page;
use ports::outbound::{Cancellation, LookupFilter, StoredLookup};

use super::queue;
use super::service::{LookupService, READS_PER_MINUTE, unavailable};
use super::types::{LookupAccess, LookupError, LookupQuery, LookupView, Read, RemovedLookup};
use super::waits::progress;
use crate::admission::Identified;

impl LookupService {
    /// Checks a caller's key, and counts a read against its limit.
    async fn identify(&self, access: &LookupAccess) -> Result<Identified, LookupError> {
        let key = access.presented_key.as_deref();
        let identified = self.gatekeeper.identify(key, access.address).await;
        let identified = identified.map_err(LookupError::Refused)?;
        let taken = self.reads.take(identified.key.id, self.clock.monotonic());
        taken.map_err(|exceeded| LookupError::TooManyReads {
            limit: READS_PER_MINUTE,
            retry_after: exceeded.retry_after,
        })?;
        Ok(identified)
    }

    /// A lookup. With a `wait`, returns once the lookup's state changes or the time is over.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn find(
        &self,
        access: LookupAccess,
        id: LookupId,
        wait: Duration,
    ) -> Result<Read<LookupView>, LookupError> {
        let by = self.identify(&access).await?;
        let turn = self.read_turn(by.customer).await;
        let first = self.wait_for(by.customer, id, Duration::ZERO, |_| true);
        let mut found = of_environment(first.await?, by.environment)?;
        drop(turn);
        if !wait.is_zero() && !found.state.is_final() {
            let changed = |lookup: &StoredLookup| progress(&found) != progress(lookup);
            let later = self.wait_for(by.customer, id, wait, changed).await?;
            found = of_environment(later, by.environment)?;
        }
        let _turn = self.read_turn(by.customer).await;
        let mut view = self.view(&found).await?;
        let place = queue::place(self.store.as_ref(), self.pacing, &found, self.clock.now());
        view.queue = place.await.map_err(unavailable)?;
        Ok(read(view, &by))
    }

    /// Lookups in the key's environment, newest first: one page.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn list(
        &self,
        access: LookupAccess,
        query: LookupQuery,
    ) -> Result<Read<Page<LookupView>>, LookupError> {
        let by = self.identify(&access).await?;
        let filter = LookupFilter {
            environment: Some(by.environment),
            states: query.states,
            counters: None,
            created_from: query.created_from,
            batch: query.batch,
        };
        let _turn = self.read_turn(by.customer).await;
        let page = self
            .reader
            .page(&*self.store, by.customer, &filter, &query.page);
        Ok(read(page.await?, &by))
    }

    /// Cancels a lookup that isn't final, or erases a final one.
    ///
    /// # Errors
    /// See [`LookupError`].
    pub async fn remove(
        &self,
        access: LookupAccess,
        id: LookupId,
    ) -> Result<Read<RemovedLookup>, LookupError> {
        let by = self.identify(&access).await?;
        let _turn = self.read_turn(by.customer).await;
        let found = self.store.lookup(by.customer, id).await;
        of_environment(found.map_err(unavailable)?, by.environment)?;
        let canceled = self.cancel(by.customer, id).await;
        let removed = match canceled.map_err(unavailable)? {
            Cancellation::Canceled(lookup) => {
                RemovedLookup::Canceled(Box::new(self.view(&lookup).await?))
            }
            Cancellation::Final => {
                let erased = self.erase(by.customer, id).await;
                erased.map_err(unavailable)?;
                RemovedLookup::Erased
            }
            Cancellation::Unknown => return Err(LookupError::Unknown),
        };
        Ok(read(removed, &by))
    }
}

/// The lookup if it is in this environment; otherwise an error.
fn of_environment(
    lookup: Option<StoredLookup>,
    environment: Environment,
) -> Result<StoredLookup, LookupError> {
    lookup
        .filter(|lookup| lookup.facts.environment == environment)
        .ok_or(LookupError::Unknown)
}

fn read<T>(found: T, by: &Identified) -> Read<T> {
    Read {
        found,
        key: by.key.id,
        environment: by.environment,
        limit_status: by.limit_status,
    }
}
