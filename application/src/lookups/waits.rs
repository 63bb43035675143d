//! Waiting for changes of a lookup.

use std::sync::Arc;
use std::time::Duration;

use domain::lookups::{LookupId, LookupState};
use domain::people::customer::CustomerId;
use futures::future::select;
use ports::outbound::{Clock, LookupStore, StoreError, StoredLookup, Timer};

use super::signals::LookupSignals;

/// Polling interval for changes by other processes.
const POLL: Duration = Duration::from_millis(400);
/// Polling interval while other processes' changes are signalled.
const POLL_WHILE_LISTENING: Duration = Duration::from_secs(1);
/// State of a lookup and number of its attempts, whose changes are reported to waiting callers.
pub(super) type Progress = (LookupState, u32);

pub(super) fn progress(lookup: &StoredLookup) -> Progress {
    (lookup.state, lookup.attempts)
}

/// Waits for changes of lookups, by signals and polling.
pub(super) struct Waits {
    signals: Arc<LookupSignals>,
    clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
}

impl Waits {
    /// Creates the waits, which `signals` end early.
    pub(super) fn new(
        signals: Arc<LookupSignals>,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
    ) -> Self {
        Self {
            signals,
            clock,
            timer,
        }
    }

    /// Reads a lookup until it meets a condition or the wait is over; `None` if the customer has no such
    /// lookup.
    pub(super) async fn until(
        &self,
        store: &dyn LookupStore,
        (customer, id): (CustomerId, LookupId),
        wait: Duration,
        condition: impl Fn(&StoredLookup) -> bool,
    ) -> Result<Option<StoredLookup>, StoreError> {
        let started = self.clock.monotonic();
        loop {
            let change = self.signals.next_change(id);
            let found = store.lookup(customer, id).await;
            let elapsed = self.clock.monotonic().saturating_sub(started);
            let left = wait.saturating_sub(elapsed);
            let is_over = match &found {
                Ok(Some(lookup)) => condition(lookup) || left.is_zero(),
                Ok(None) | Err(_) => true,
            };
            if is_over {
                return found;
            }
            let poll = if self.signals.is_listening() {
                POLL_WHILE_LISTENING
            } else {
                POLL
            };
            let pause = self.timer.pause(left.min(poll));
            match change {
                Some(change) => drop(select(change, pause).await),
                None => pause.await,
            }
        }
    }
}
