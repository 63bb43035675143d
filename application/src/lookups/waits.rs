//! Waits for changes of a lookup: of those who read it, and of those who follow it.

use std::sync::Arc;
use std::time::Duration;

use domain::customer::CustomerId;
use domain::lookup::{LookupId, LookupState};
use futures::future::select;
use ports::outbound::{Clock, LookupStore, StoreError, StoredLookup, Timer};

use super::signals::LookupSignals;

/// Interval at which a waiting caller looks for changes that another process made.
const POLL: Duration = Duration::from_millis(400);
/// The same while other processes are listened to.
const POLL_WHILE_LISTENING: Duration = Duration::from_secs(1);
/// The state of a lookup and the number of its attempts: those who wait for a change see these.
pub(super) type Progress = (LookupState, u32);

pub(super) fn progress(lookup: &StoredLookup) -> Progress {
    (lookup.state, lookup.attempts)
}

/// Waits of those who read a lookup, or follow it.
pub(super) struct Waits {
    signals: Arc<LookupSignals>,
    clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
}

impl Waits {
    /// Waits that these signals of changes end.
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

    /// Reads a lookup until it meets a condition or the wait is over; `None` when there is none.
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
