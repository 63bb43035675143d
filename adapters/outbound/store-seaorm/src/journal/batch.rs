//! Entries that share a commit.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::RequestEntry;
use tokio::sync::watch;
use tokio::time::Instant;

use super::statistics::Kind;

/// How long refusals wait for something else to be written with. A caller that ignores its limit
/// costs a commit in so long, and not one after another.
const REFUSALS_LINGER: Duration = Duration::from_secs(1);
/// Entries that are written without waiting for more: what more would save is little by then.
const LARGE: usize = 4_096;

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    Durable,
}

/// Entries that share a commit.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) used: HashMap<(KeyId, Month), Used>,
    pub(super) requests: Vec<RequestEntry>,
    /// Requests that a limit refused: a flood of them is one number.
    pub(super) refused: HashMap<Kind, u64>,
    /// When the newest of them happened.
    pub(super) newest: Option<DateTime<Utc>>,
    pub(super) entries: usize,
    /// When it is written at the latest, while nobody waits for what is in it; `None`: at once.
    pub(super) lingers_until: Option<Instant>,
    /// Whether it is written also when there is nothing in it, to find out whether that succeeds.
    pub(super) is_probe: bool,
    pub(super) progress: watch::Sender<Progress>,
}

/// What one key used of one month, in one batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub(super) count: MonthlyUse,
    pub(super) last: DateTime<Utc>,
}

impl Batch {
    pub(super) fn new() -> Self {
        Self {
            used: HashMap::new(),
            requests: Vec::new(),
            refused: HashMap::new(),
            newest: None,
            entries: 0,
            lingers_until: None,
            is_probe: false,
            progress: watch::Sender::new(Progress::Waiting),
        }
    }

    /// What it counts of a key and a month. Somebody waits for it.
    pub(super) fn use_of(
        &mut self,
        key: KeyId,
        month: Month,
        at: DateTime<Utc>,
    ) -> &mut MonthlyUse {
        let used = self.used.entry((key, month)).or_insert(Used {
            count: MonthlyUse::default(),
            last: at,
        });
        used.last = used.last.max(at);
        self.newest = self.newest.max(Some(at));
        self.lingers_until = None;
        &mut used.count
    }

    /// Takes a request, which may wait for so long for others; returns whether the writer has to
    /// be told.
    pub(super) fn keep(&mut self, entry: RequestEntry, linger: Duration) -> bool {
        let told = self.may_linger(linger);
        self.newest = self.newest.max(Some(entry.at));
        self.requests.push(entry);
        self.entries += 1;
        told
    }

    /// Takes a kind of refusal that it has none of; returns whether the writer has to be told.
    pub(super) fn refuse(&mut self, kind: Kind, at: DateTime<Utc>) -> bool {
        let told = self.may_linger(REFUSALS_LINGER);
        self.refused.insert(kind, 1);
        self.newest = self.newest.max(Some(at));
        self.entries += 1;
        told
    }

    /// Notes that what comes next may wait for so long, or until the rest of the batch is written;
    /// returns whether the writer has to be told.
    fn may_linger(&mut self, span: Duration) -> bool {
        if self.is_empty() && !span.is_zero() {
            self.lingers_until = Some(Instant::now() + span);
            return true;
        }
        if span.is_zero() || self.entries >= LARGE {
            self.lingers_until = None;
        }
        self.lingers_until.is_none()
    }

    /// Whether answers or refunds wait for it.
    pub(super) fn is_awaited(&self) -> bool {
        !self.used.is_empty()
    }

    /// Whether nothing is lost with it.
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty() && self.requests.is_empty() && self.refused.is_empty()
    }
}
