//! Who says when the bank may be asked.

use std::time::Duration;

use async_trait::async_trait;
use domain::pacing::{BackOff, BankBudget, Throttled};

use crate::Cause;

/// Gives out turns to ask one bank, in the order in which they are asked for, within its budget,
/// by the rules of [`domain::pacing`]. It has a clock of its own; cycles are told to it by how long
/// ago their turn came.
#[async_trait]
pub trait Pacer: Send + Sync {
    /// Returns when the bank may be asked, once, now.
    ///
    /// MUST NOT return more often than the budget allows within any 60 seconds by the pacer's
    /// clock, whoever asks, nor during a back-off. MUST refuse at once when the turn would come
    /// later than [`waitable`](domain::pacing::waitable) of this patience; whoever waits when a
    /// back-off begins is refused then. A caller that stops waiting (drops the future) gives its
    /// place back, at the latest after some seconds.
    async fn acquire(&self, patience: Duration) -> Result<(), AcquireError>;

    /// The bank wanted fewer questions in a cycle whose turn came so long ago: it is left alone
    /// from now on, and who waits is refused. A cycle that was under way when a back-off began
    /// joins that one.
    async fn record_throttled(&self, under_way: Duration) -> Result<BackOff, PacerError>;

    /// The bank answered a whole cycle whose turn came so long ago: if that was after the newest
    /// back-off, the next one is short again.
    async fn record_success(&self, under_way: Duration) -> Result<(), PacerError>;

    /// Tells what another pacer of the same bank knows. Its turns count here too; its back-off is
    /// kept here too, unless a known one ends as late or hardly earlier. MUST NOT make anything
    /// known shorter.
    async fn merge(&self, news: &PacerState) -> Result<(), PacerError>;

    /// What is left of the budget; looking takes nothing.
    async fn budget(&self) -> Result<BankBudget, PacerError>;
}

/// What one pacer knows and another one may not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacerState {
    /// How long ago it gave turns, those of the last minute.
    pub turns: Vec<Duration>,
    /// For how long it leaves the bank alone, if it does.
    pub paused_for: Option<Duration>,
}

impl PacerState {
    /// A turn was given just now.
    pub fn acquired_now() -> Self {
        Self {
            turns: vec![Duration::ZERO],
            paused_for: None,
        }
    }

    /// The bank is left alone for so long.
    pub const fn backing_off(left: Duration) -> Self {
        Self {
            turns: Vec::new(),
            paused_for: Some(left),
        }
    }
}

/// Why the bank may not be asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AcquireError {
    /// By the rules.
    #[error(transparent)]
    Refused(#[from] Throttled),
    /// The pacer failed, so nobody knows. MUST NOT be taken for leave to ask.
    #[error(transparent)]
    Failed(#[from] PacerError),
}

/// The pacer failed; nothing is known of what it counted.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the pacer failed: {cause}")]
pub struct PacerError {
    /// For the log.
    pub cause: Cause,
}
