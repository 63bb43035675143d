//! Batches: files of many payments, whose rows are looked up one after another.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use crate::key::Environment;
use crate::lookup::LookupState;
use crate::variants::named_enum;

pub mod bank_file;
pub mod duplicates;
pub mod formula;
pub mod sheet;

/// Largest number of rows that an operator may allow.
pub const MAX_ROWS: u32 = 100_000;
/// Rows of a chunk, which is stored as one.
pub const ROWS_PER_CHUNK: u32 = 100;

/// Id of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(pub Uuid);

impl BatchId {
    /// Parses an id as its `Display` writes it, or any other spelling of a UUID.
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
        /// None of its rows was looked up yet.
        Queued,
        /// Its rows are being looked up.
        Running,
        /// Its rows wait for quota.
        Paused,
        /// Each of its rows has ended.
        Finished,
        /// The caller canceled it, or its key was revoked.
        Canceled,
    }
}

impl BatchState {
    /// Returns `true` if the state never changes any more.
    pub fn is_final(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Paused => false,
            Self::Finished | Self::Canceled => true,
        }
    }
}

named_enum! {
    /// State of a row: that of its lookup, or the reason for which it has none.
    pub enum RowState {
        /// It has errors. It is never looked up.
        Faulty,
        /// It asks the same as an earlier row. It is never looked up.
        Duplicate,
        /// No lookup was made of it yet; or never will be, of a canceled batch.
        NotBegun,
        /// Its lookup waits for its first attempt.
        Queued,
        /// An attempt is being made.
        Running,
        /// Its lookup waits for its next attempt.
        Waiting,
        /// The proof was delivered.
        Delivered,
        /// The bank knows no such transfer.
        NotFound,
        /// The bank gave no answer at all.
        Failed,
        /// The bank knows the transfer, and issued no proof in time.
        Expired,
        /// Its lookup was canceled.
        Canceled,
        /// Its lookup has ended, and was erased since.
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
            LookupState::NotFound => Self::NotFound,
            LookupState::Failed => Self::Failed,
            LookupState::Expired => Self::Expired,
            LookupState::Canceled => Self::Canceled,
        }
    }
}

/// Number of a row within its batch, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowNumber(pub u32);

impl RowNumber {
    /// The number of the chunk that holds the row, from 0 on.
    pub fn chunk(self) -> u32 {
        self.0 / ROWS_PER_CHUNK
    }

    /// The row's place in its chunk.
    pub fn place(self) -> usize {
        (self.0 % ROWS_PER_CHUNK) as usize
    }
}

/// Number of rows of a batch by kind, none of which changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// All rows.
    pub rows: u32,
    /// Rows with errors; they are never looked up.
    pub faulty: u32,
    /// Rows that ask the same as an earlier one; they are never looked up.
    pub duplicates: u32,
}

impl RowCounts {
    /// Rows that are looked up.
    pub fn ready(self) -> u32 {
        self.rows - self.faulty - self.duplicates
    }
}

/// Number of the rows that may be charged and unfinished at the same time: as few as keep the bank's
/// budget in use between two looks at a batch, because each is charged for although it doesn't run yet.
/// `per_minute` is the bank's budget; the test environment has none.
pub fn window(environment: Environment, per_minute: u32) -> u32 {
    match environment {
        Environment::Test => 256,
        Environment::Live => (per_minute / 10).clamp(16, 256),
    }
}

/// Pauses between looks at a batch whose rows are being looked up: short while rows end, longer while none
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
