//! The journal: what was used, handed over at once and written many requests a commit.
//!
//! While one batch is written the next one gathers, so a commit carries whatever came in during
//! the one before: one request alone waits for one commit, a thousand share it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use ports::Cause;
use ports::outbound::{AdmissionEntry, JournalError, Receipt, RequestEntry, UsageJournal};
use sea_orm::DatabaseConnection;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::tally::Batch;
use crate::writer::Writer;

/// Entries that may wait; a stuck database must not take all memory. About 40 MB.
const MOST_WAITING: usize = 100_000;
/// How long a receipt waits for a database that fails.
const PATIENCE: Duration = Duration::from_secs(5);

/// Writes down what is used. Clones are one journal.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

/// What askers and the writer share.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Tells the writer that something waits, or that the journal closes.
    pub(crate) work: Notify,
}

struct State {
    gathering: Batch,
    /// The fate of the batch that gathers.
    fate: watch::Sender<Fate>,
    /// The fate of the last batch that held anything.
    newest: Option<watch::Receiver<Fate>>,
    dropped: u64,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Closing,
}

/// What became of a batch.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    /// It gathers or is being written.
    Waiting,
    /// It couldn't be written so far, and is tried again.
    Failing(Cause),
    /// It is durable.
    Written,
}

/// A batch that is to be written.
pub(crate) struct Task {
    pub(crate) batch: Batch,
    pub(crate) fate: watch::Sender<Fate>,
}

impl Journal {
    pub(crate) fn start(database: DatabaseConnection, writer: Uuid) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                gathering: Batch::default(),
                fate: watch::Sender::new(Fate::Waiting),
                newest: None,
                dropped: 0,
                phase: Phase::Open,
            }),
            work: Notify::new(),
        });
        tokio::spawn(Writer::new(database, writer).run(Arc::clone(&shared)));
        Self(shared)
    }

    /// Takes no more entries, and returns once all that were handed over are durable.
    ///
    /// # Errors
    /// When the database fails for longer than the journal waits.
    pub async fn close(&self) -> Result<(), JournalError> {
        self.0.state().phase = Phase::Closing;
        self.0.work.notify_one();
        self.flush().await
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the journal")
    }

    /// What waits, if anything does; a new batch begins to gather.
    pub(crate) fn take(&self) -> Option<Task> {
        let mut state = self.state();
        if state.gathering.is_empty() {
            return None;
        }
        let batch = std::mem::take(&mut state.gathering);
        let fate = std::mem::replace(&mut state.fate, watch::Sender::new(Fate::Waiting));
        if state.dropped > 0 {
            tracing::error!(
                dropped = state.dropped,
                "the journal was full: details of requests were lost"
            );
            state.dropped = 0;
        }
        Some(Task { batch, fate })
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.state().phase == Phase::Closing
    }
}

impl State {
    /// Whether one more entry may wait.
    fn has_room(&self) -> Result<(), JournalError> {
        if self.phase == Phase::Closing {
            return Err(JournalError::Closed);
        }
        if self.gathering.len() >= MOST_WAITING {
            return Err(JournalError::Full);
        }
        Ok(())
    }

    /// The fate of the batch that now gathers something.
    fn expect(&mut self) -> watch::Receiver<Fate> {
        let fate = self.fate.subscribe();
        self.newest = Some(fate.clone());
        fate
    }
}

/// Waits until a batch is written, but not for ever.
async fn written(mut fate: watch::Receiver<Fate>) -> Result<(), JournalError> {
    let waiting = fate.wait_for(|fate| matches!(fate, Fate::Written));
    let closed = match tokio::time::timeout(PATIENCE, waiting).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(_)) => true,
        Err(_) => false,
    };
    Err(match &*fate.borrow() {
        Fate::Failing(cause) => JournalError::Store {
            cause: Arc::clone(cause),
        },
        Fate::Waiting | Fate::Written if closed => JournalError::Closed,
        Fate::Waiting | Fate::Written => JournalError::Store {
            cause: Arc::new(Slow),
        },
    })
}

/// The database neither failed nor finished in time.
#[derive(Debug, thiserror::Error)]
#[error("a commit takes longer than {PATIENCE:?}")]
struct Slow;

#[async_trait]
impl UsageJournal for Journal {
    fn admit(&self, entry: AdmissionEntry) -> Receipt {
        let fate = {
            let mut state = self.0.state();
            if let Err(error) = state.has_room() {
                return Receipt::new(std::future::ready(Err(error)));
            }
            state.gathering.admit(entry);
            state.expect()
        };
        self.0.work.notify_one();
        Receipt::new(written(fate))
    }

    fn conclude(&self, entry: RequestEntry) {
        {
            let mut state = self.0.state();
            if state.has_room().is_err() {
                state.dropped += 1;
                return;
            }
            state.gathering.conclude(entry);
            state.expect();
        }
        self.0.work.notify_one();
    }

    async fn flush(&self) -> Result<(), JournalError> {
        let newest = self.0.state().newest.clone();
        match newest {
            Some(fate) => written(fate).await,
            None => Ok(()),
        }
    }
}
