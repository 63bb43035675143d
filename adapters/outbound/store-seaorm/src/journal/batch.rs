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

use super::statistics::{Increase, Kind};

/// How long entries that no answer waits for may wait for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathering {
    pub(super) span: Duration,
    /// So many are written without waiting for more.
    pub(super) most: usize,
}

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
    /// Requests by kind: a flood of one is one number.
    pub(super) statistics: HashMap<Kind, Increase>,
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
            statistics: HashMap::new(),
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

    /// Takes a request, which may wait for others, if for so many; returns whether the writer has to
    /// be told.
    pub(super) fn keep(&mut self, entry: RequestEntry, gathering: Option<Gathering>) -> bool {
        let told = self.may_linger(gathering);
        self.newest = self.newest.max(Some(entry.at));
        self.requests.push(entry);
        self.entries += 1;
        told
    }

    /// Whether it has counted a request of a kind.
    pub(super) fn has(&self, kind: &Kind) -> bool {
        self.statistics.contains_key(kind)
    }

    /// Counts a request of a kind, which takes no more room than the first of its kind.
    pub(super) fn add(&mut self, kind: Kind, increase: &Increase, at: DateTime<Utc>) {
        self.newest = self.newest.max(Some(at));
        self.statistics.entry(kind).or_default().add(increase);
    }

    /// As [`Batch::add`], of what may wait for others; returns whether the writer has to be told.
    pub(super) fn count(
        &mut self,
        kind: Kind,
        increase: &Increase,
        at: DateTime<Utc>,
        gathering: Gathering,
    ) -> bool {
        let is_new = !self.has(&kind);
        let told = is_new && self.may_linger(Some(gathering));
        self.entries += usize::from(is_new);
        self.add(kind, increase, at);
        told
    }

    /// Notes that what comes next may wait, at the longest until the rest of the batch is written;
    /// returns whether the writer has to be told.
    fn may_linger(&mut self, gathering: Option<Gathering>) -> bool {
        match gathering {
            Some(Gathering { span, .. }) if self.is_empty() => {
                self.lingers_until = Some(Instant::now() + span);
                return true;
            }
            Some(Gathering { most, .. }) if self.entries < most => {}
            _ => self.lingers_until = None,
        }
        self.lingers_until.is_none()
    }

    /// Whether answers or refunds wait for it.
    pub(super) fn is_awaited(&self) -> bool {
        !self.used.is_empty()
    }

    /// Whether nothing is lost with it.
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty() && self.requests.is_empty() && self.statistics.is_empty()
    }
}
