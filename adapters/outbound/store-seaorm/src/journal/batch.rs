//! Batch: entries that share a commit.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::RequestEntry;
use tokio::sync::watch;
use tokio::time::Instant;

use super::statistics::{Increase, RequestKind};

/// Delay of entries that no answer waits for, so that more share their commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linger {
    pub(super) span: Duration,
    /// Number of entries from which on a batch is written without delay.
    pub(super) most: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    Durable,
}

#[derive(Debug)]
pub(super) struct Batch {
    pub(super) used: HashMap<(KeyId, Month), Used>,
    pub(super) requests: Vec<RequestEntry>,
    /// Statistics of requests by kind: many requests of one kind are one entry.
    pub(super) statistics: HashMap<RequestKind, Increase>,
    /// Instant of the newest entry.
    pub(super) newest: Option<DateTime<Utc>>,
    pub(super) entries: usize,
    /// Deadline for writing the batch while no answer waits for it; `None`: write at once.
    pub(super) linger_until: Option<Instant>,
    /// Writes the batch even if it is empty, to test the database.
    pub(super) is_probe: bool,
    pub(super) progress: watch::Sender<Progress>,
}

/// Use of one key in one month, in one batch.
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
            linger_until: None,
            is_probe: false,
            progress: watch::Sender::new(Progress::Waiting),
        }
    }

    /// Counts of a key in a month, to be increased. An answer waits for them.
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
        self.linger_until = None;
        &mut used.count
    }

    /// Adds a request, delayed if `linger` is given; returns whether the writer has to be woken.
    pub(super) fn keep(&mut self, entry: RequestEntry, linger: Option<Linger>) -> bool {
        let wakes_writer = self.may_linger(linger);
        self.newest = self.newest.max(Some(entry.at));
        self.requests.push(entry);
        self.entries += 1;
        wakes_writer
    }

    /// Returns whether the batch has counted a request of this kind.
    pub(super) fn has(&self, kind: &RequestKind) -> bool {
        self.statistics.contains_key(kind)
    }

    /// Counts a request; only the first of a kind takes room.
    pub(super) fn add(&mut self, kind: RequestKind, increase: &Increase, at: DateTime<Utc>) {
        self.newest = self.newest.max(Some(at));
        self.statistics.entry(kind).or_default().add(increase);
    }

    /// Counts a request as [`Batch::add`] does, but may delay the batch; returns whether the writer
    /// has to be woken.
    pub(super) fn count(
        &mut self,
        kind: RequestKind,
        increase: &Increase,
        at: DateTime<Utc>,
        linger: Linger,
    ) -> bool {
        let is_new = !self.has(&kind);
        let wakes_writer = is_new && self.may_linger(Some(linger));
        self.entries += usize::from(is_new);
        self.add(kind, increase, at);
        wakes_writer
    }

    /// Sets the deadline for an entry that may linger, unless the batch is written earlier; returns
    /// whether the writer has to be woken.
    fn may_linger(&mut self, linger: Option<Linger>) -> bool {
        match linger {
            Some(Linger { span, .. }) if self.is_empty() => {
                self.linger_until = Some(Instant::now() + span);
                return true;
            }
            Some(Linger { most, .. }) if self.entries < most => {}
            _ => self.linger_until = None,
        }
        self.linger_until.is_none()
    }

    /// Returns whether answers or refunds wait for the batch.
    pub(super) fn is_awaited(&self) -> bool {
        !self.used.is_empty()
    }

    /// Returns whether the batch has no entries that could be lost.
    pub(super) fn is_empty(&self) -> bool {
        self.used.is_empty() && self.requests.is_empty() && self.statistics.is_empty()
    }
}
