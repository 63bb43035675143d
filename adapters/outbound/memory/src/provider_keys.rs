//! The identity provider's keys, of a process that shares them with nobody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ports::outbound::{
    Clock, KeyDocument, Known, Progress, ProviderKeyCache, StoreError, Turn, Want,
};

/// Keeps the keys as long as it lives.
pub struct MemoryProviderKeys {
    clock: Arc<dyn Clock>,
    issuers: Mutex<HashMap<String, Issuer>>,
}

/// What is known of an issuer's keys; instants are of the monotonic clock.
#[derive(Default)]
struct Issuer {
    turn: Turn,
    ended: Turn,
    begun_at: Option<Duration>,
    missed_at: Option<Duration>,
    document: Option<Published>,
}

struct Published {
    turn: Turn,
    text: String,
    /// How old it was when it was published.
    age: Duration,
    /// When that was.
    since: Duration,
}

impl MemoryProviderKeys {
    /// Knows nothing yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            issuers: Mutex::default(),
        }
    }

    fn issuers(&self) -> MutexGuard<'_, HashMap<String, Issuer>> {
        self.issuers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Issuer {
    fn progress(&self) -> Progress {
        let brought = self.document.as_ref().map(|document| document.turn);
        if self.ended < self.turn {
            Progress::UnderWay
        } else if brought == Some(self.turn) {
            Progress::Published
        } else {
            Progress::Failed
        }
    }

    fn known(&self, known: Turn, now: Duration) -> Known {
        let ago = |at: Option<Duration>| Some(now.saturating_sub(at?));
        let newer = self.document.as_ref();
        let newer = newer.filter(|document| document.turn != known);
        Known {
            turn: self.turn,
            progress: self.progress(),
            begun: ago(self.begun_at),
            missed: ago(self.missed_at),
            document: newer.map(|document| KeyDocument {
                turn: document.turn,
                age: Some(document.age + now.saturating_sub(document.since)),
                text: document.text.clone(),
            }),
        }
    }
}

#[async_trait]
impl ProviderKeyCache for MemoryProviderKeys {
    async fn look(&self, issuer: &str, known: Turn) -> Result<Known, StoreError> {
        let now = self.clock.monotonic();
        let issuers = self.issuers();
        let issuer = issuers.get(issuer);
        Ok(issuer.map_or_else(Known::default, |issuer| issuer.known(known, now)))
    }

    async fn take_turn(
        &self,
        issuer: &str,
        seen: Turn,
        want: Want,
    ) -> Result<Option<Turn>, StoreError> {
        let now = self.clock.monotonic();
        let mut issuers = self.issuers();
        let issuer = issuers.entry(issuer.to_owned()).or_default();
        if issuer.turn != seen {
            return Ok(None);
        }
        issuer.turn = Turn(seen.0 + 1);
        issuer.begun_at = Some(now);
        if want == Want::Missing {
            issuer.missed_at = Some(now);
        }
        Ok(Some(issuer.turn))
    }

    async fn publish(
        &self,
        issuer: &str,
        turn: Turn,
        age: Duration,
        document: &str,
    ) -> Result<(), StoreError> {
        let since = self.clock.monotonic();
        let mut issuers = self.issuers();
        let issuer = issuers.entry(issuer.to_owned()).or_default();
        issuer.ended = issuer.ended.max(turn);
        let newest = issuer.document.as_ref().map(|document| document.turn);
        if newest < Some(turn) {
            issuer.document = Some(Published {
                turn,
                text: document.to_owned(),
                age,
                since,
            });
        }
        Ok(())
    }

    async fn give_up(&self, issuer: &str, turn: Turn) -> Result<(), StoreError> {
        let mut issuers = self.issuers();
        let issuer = issuers.entry(issuer.to_owned()).or_default();
        issuer.ended = issuer.ended.max(turn);
        Ok(())
    }
}
