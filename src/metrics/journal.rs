//! The journal's commits.

use std::time::Duration;

use metrics::{Counter, Histogram};
use store_seaorm::CommitMetricsSink;

use super::{Metrics, names, number};

/// Counts and measures commits.
pub(crate) struct MeteredJournal {
    duration: Histogram,
    entries: Histogram,
    failures: Counter,
}

impl MeteredJournal {
    pub(crate) fn new(metrics: &Metrics) -> Self {
        Self {
            duration: metrics.histogram(&names::JOURNAL_COMMIT_DURATION, &[]),
            entries: metrics.histogram(&names::JOURNAL_COMMIT_ENTRIES, &[]),
            failures: metrics.counter(&names::JOURNAL_FAILURES, &[]),
        }
    }
}

impl CommitMetricsSink for MeteredJournal {
    fn committed(&self, entries: usize, took: Duration) {
        self.duration.record(took);
        self.entries.record(number(entries as u64));
    }

    fn failed(&self) {
        self.failures.increment(1);
    }
}
