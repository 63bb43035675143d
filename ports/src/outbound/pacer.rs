//! Port: pacing of queries to the bank.

use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Lane, Throttled};

use crate::Cause;

/// Port: pacing of queries to one bank. It grants turns to lanes in their order, within the bank's budget, by
/// the rules of [`domain::pacing`]. It has its own clock; query cycles are reported by the time since their
/// turn.
#[async_trait]
pub trait Pacer: Send + Sync {
    /// Waits for a turn, and returns when the caller may send one query to the bank.
    ///
    /// MUST NOT grant more turns to all callers together than the budget allows within any
    /// [`WINDOW`](domain::pacing::WINDOW) of the pacer's clock, nor any during a back-off. MUST refuse at
    /// once if the turn would come later than [`longest_wait`](domain::pacing::longest_wait) of this
    /// patience, or if too many callers of the lane wait. A caller whose turn is postponed beyond its
    /// patience is refused when the patience ends; callers that wait when a back-off begins are refused at
    /// that moment. A caller that drops the future gives its place back within a few seconds.
    async fn acquire(&self, lane: Lane, patience: Duration) -> Result<(), AcquireError>;

    /// Records that the bank throttled a query cycle that was begun `under_way` ago: a back-off begins, and
    /// waiting callers are refused. A cycle that was begun before the current back-off doesn't begin another
    /// one.
    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError>;

    /// Records that the bank answered all queries of a cycle that was begun `under_way` ago. If the cycle was
    /// begun after the newest back-off, the length of the next back-off is reset.
    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError>;

    /// Merges the state of another pacer of the same bank. Its turns are counted here, too. Its back-off is
    /// adopted unless a known one ends at about the same time or later. MUST NOT shorten a known back-off.
    async fn merge(&self, state: &PacerState) -> Result<(), PacerError>;

    /// State of the budget. Reading it doesn't use a turn.
    async fn budget(&self) -> Result<BankBudget, PacerError>;
}

/// State to transfer from one pacer to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacerState {
    /// Time since each turn that was granted in the last minute.
    pub turns: Vec<Duration>,
    /// Remaining time of the back-off; `None` outside a back-off.
    pub paused_for: Option<Duration>,
}

impl PacerState {
    /// State with one turn, granted now.
    pub fn acquired_now() -> Self {
        Self {
            turns: vec![Duration::ZERO],
            paused_for: None,
        }
    }

    /// State with a back-off of this remaining time, and no turns.
    pub const fn backing_off(left: Duration) -> Self {
        Self {
            turns: Vec::new(),
            paused_for: Some(left),
        }
    }
}

/// Error of [`Pacer::acquire`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum AcquireError {
    /// The turn was refused by the pacing rules.
    #[error(transparent)]
    Refused(#[from] Throttled),
    /// The pacer failed, and it is unknown if a turn was granted. MUST NOT be treated as permission to query.
    #[error(transparent)]
    Failed(#[from] PacerError),
}

/// The pacer failed; it may or may not have recorded the call.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the pacer failed: {cause}")]
pub struct PacerError {
    /// The driver's error, to be logged.
    pub cause: Cause,
}
