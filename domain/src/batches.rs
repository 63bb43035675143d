//! Batches: files of many payments, whose rows are looked up one after another.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use crate::keys::Environment;
use crate::lookups::LookupState;
use crate::variants::named_enum;

pub mod bank_file;
pub mod duplicates;
pub mod formula;
pub mod sheet;

/// Largest number of rows that an operator may allow.
pub const MAX_ROWS: u32 = 100_000;
/// Number of rows in a chunk. A chunk is stored as one record.
pub const ROWS_PER_CHUNK: u32 = 100;

/// Unique id of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(pub Uuid);

impl BatchId {
    /// Parses a UUID in any of its usual forms.
    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

named_enum! {
    /// State of a batch.
    pub enum BatchState {
        /// No row has been looked up yet.
        Queued,
        /// Its rows are being looked up.
        Running,
        /// The remaining rows wait for monthly quota.
        Paused,
        /// All rows have ended.
        Finished,
        /// The caller canceled it, or its key was revoked.
        Canceled,
    }
}

impl BatchState {
    /// Returns `true` if the state can't change any more.
    pub fn is_final(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Paused => false,
            Self::Finished | Self::Canceled => true,
        }
    }
}

named_enum! {
    /// State of a row: the state of its lookup, or the reason why it has none.
    pub enum RowState {
        /// The row has errors and is not looked up.
        Faulty,
        /// The row repeats an earlier row and is not looked up.
        Duplicate,
        /// The row has no lookup yet, or won't have one because the batch was canceled.
        NotBegun,
        /// Its lookup waits for its first attempt.
        Queued,
        /// An attempt is being made.
        Running,
        /// Its lookup waits for its next attempt.
        Waiting,
        /// The proof was delivered.
        Delivered,
        /// Several transfers have the reference number: the caller chooses one by its tracking key.
        Ambiguous,
        /// The bank has no record of the transfer.
        NotFound,
        /// The bank gave no answer.
        Failed,
        /// The bank knows the transfer, but issued no proof in time.
        Expired,
        /// Its lookup was canceled.
        Canceled,
        /// Its lookup has ended and was erased.
        Erased,
    }
}

impl From<LookupState> for RowState {
    fn from(state: LookupState) -> Self {
        match state {
            LookupState::Queued => Self::Queued,
            LookupState::Running => Self::Running,
            LookupState::Waiting => Self::Waiting,
            LookupState::Delivered => Self::Delivered,
            LookupState::Ambiguous => Self::Ambiguous,
            LookupState::NotFound => Self::NotFound,
            LookupState::Failed => Self::Failed,
            LookupState::Expired => Self::Expired,
            LookupState::Canceled => Self::Canceled,
        }
    }
}

/// Number of a row within its batch, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowNumber(pub u32);

impl RowNumber {
    /// Number of the chunk that holds the row, from 0.
    pub fn chunk(self) -> u32 {
        self.0 / ROWS_PER_CHUNK
    }

    /// Index of the row within its chunk, from 0.
    pub fn place(self) -> usize {
        (self.0 % ROWS_PER_CHUNK) as usize
    }
}

/// Numbers of rows in a batch. They never change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Total number of rows.
    pub rows: u32,
    /// Rows with errors; they are never looked up.
    pub faulty: u32,
    /// Rows that repeat an earlier one; they are never looked up.
    pub duplicates: u32,
}

impl RowCounts {
    /// Rows that are looked up.
    pub fn ready(self) -> u32 {
        self.rows - self.faulty - self.duplicates
    }
}

/// Maximum number of rows that are charged and unfinished at the same time. It is just enough to use
/// the bank's budget between two polls of a batch, because rows are charged before they run.
/// `per_minute` is the bank's budget; the test environment has none.
pub fn window(environment: Environment, per_minute: u32) -> u32 {
    match environment {
        Environment::Test => 256,
        Environment::Live => (per_minute / 10).clamp(16, 256),
    }
}

/// Shortest and longest pause between polls of a running batch: short while rows end, longer while none
/// does.
pub const POLL_BACKOFF: (Duration, Duration) =
    (Duration::from_millis(50), Duration::from_millis(800));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_states_are_final_and_a_row_with_a_lookup_has_the_name_of_its_state() {
        let ended = BatchState::ALL.into_iter().filter(|state| state.is_final());
        assert!(ended.map(BatchState::name).eq(["finished", "canceled"]));
        for state in LookupState::ALL {
            assert_eq!(RowState::from(state).name(), state.name());
        }
    }

    #[test]
    fn rows_are_numbered_within_chunks() {
        let last = RowNumber(ROWS_PER_CHUNK - 1);
        let next = RowNumber(ROWS_PER_CHUNK);
        assert_eq!((last.chunk(), last.place()), (0, 99));
        assert_eq!((next.chunk(), next.place()), (1, 0));
    }

    #[test]
    fn faulty_rows_and_duplicates_are_not_looked_up() {
        let (rows, faulty, duplicates) = (10, 3, 2);
        let counts = RowCounts {
            rows,
            faulty,
            duplicates,
        };
        assert_eq!(counts.ready(), 5);
    }

    #[test]
    fn the_window_follows_the_budget_of_the_bank() {
        let of_live = |per_minute| window(Environment::Live, per_minute);
        assert_eq!([15, 600, 100_000].map(of_live), [16, 60, 256]);
        assert_eq!(window(Environment::Test, 15), 256);
    }
}
