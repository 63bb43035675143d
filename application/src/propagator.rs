//! Telling the limiter what the store has.

use std::sync::Arc;
use std::time::Duration;

use domain::key::KeyId;
use domain::month::Month;
use ports::outbound::{Clock, KeyStore, Limiter, LimiterError, Snapshot, StoreError, Timer};

/// How long a limiter that fails is tried before whoever made a change hears that it holds. The
/// watches over changed keys look four times a second, and a call that fails takes a fifth of a
/// second unless an operator says otherwise, after which each key is told again within a second: by
/// then each process that runs has told the shared limiter of the change, or has noticed that it
/// can't and goes by the store.
const FOLLOWED: Duration = Duration::from_secs(2);
/// Time between two tries.
const AGAIN: Duration = Duration::from_millis(200);

/// Tells the limiter of changes that were made in the store, so that they hold before whoever made
/// them hears of it. What fails here isn't lost: the [`KeyWatch`](crate::KeyWatch) tells it again.
pub(crate) struct ChangePropagator {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
}

/// Why the limiter wasn't told of a key.
#[derive(Debug)]
pub(crate) enum Untold {
    /// The key can't be read.
    Store(StoreError),
    /// It was read, and the limiter failed.
    Limiter(LimiterError),
}

impl From<Untold> for StoreError {
    fn from(untold: Untold) -> Self {
        match untold {
            Untold::Store(error) => error,
            Untold::Limiter(error) => Self { cause: error.cause },
        }
    }
}

impl ChangePropagator {
    pub(crate) fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            keys,
            limiter,
            clock,
        }
    }

    /// A key's state, and its use of this month; `None` when no key has the id.
    pub(crate) async fn snapshot(&self, key: KeyId) -> Result<Option<Snapshot>, StoreError> {
        let month = Month::of(self.clock.now());
        self.keys.snapshot(key, month).await
    }

    /// Tells the limiter a key's state, and returns what was read for it.
    pub(crate) async fn announce(&self, key: KeyId) -> Result<Option<Snapshot>, Untold> {
        let snapshot = self.snapshot(key).await.map_err(Untold::Store)?;
        if let Some(snapshot) = snapshot {
            let applied = self.limiter.apply(key, snapshot.state).await;
            applied.map_err(Untold::Limiter)?;
        }
        Ok(snapshot)
    }

    /// Returns once changed keys are to every process what they are to the store: when the limiter
    /// was told of them, or has failed for so long that nobody goes by it without having told it.
    ///
    /// # Errors
    /// When the store can't be read to the end, so that nobody knows who follows it.
    pub(crate) async fn propagate(
        &self,
        keys: &[KeyId],
        pause: &dyn Timer,
    ) -> Result<(), StoreError> {
        let begun = self.clock.monotonic();
        let is_late = || self.clock.monotonic().saturating_sub(begun) >= FOLLOWED;
        let mut left = keys.to_vec();
        loop {
            let mut untold = None;
            let mut missed = Vec::new();
            for key in left {
                // One that the limiter missed is no reason for the others to wait, but a thousand
                // of them are no reason to wait a thousand times.
                if untold.is_some() && is_late() {
                    missed.push(key);
                } else if let Err(error) = self.announce(key).await {
                    missed.push(key);
                    untold = Some(error);
                }
            }
            let Some(error) = untold else {
                return Ok(());
            };
            if !is_late() {
                left = missed;
                pause.pause(AGAIN).await;
                continue;
            }
            return match error {
                Untold::Store(error) => Err(error),
                Untold::Limiter(error) => {
                    let keys = missed.len();
                    tracing::warn!(
                        keys, %error,
                        "the limiter can't be told of changed keys; they hold by the store"
                    );
                    Ok(())
                }
            };
        }
    }
}
