//! Metrics of the journal's commits.

use std::sync::Arc;
use std::time::Duration;

use metrics::Counter;
use store_seaorm::CommitMetricsSink;

use super::{LazyHistogram, Metrics, names, number};

/// Counts and measures commits.
pub(crate) struct MeteredJournal {
    duration: LazyHistogram,
    entries: LazyHistogram,
    failures: Counter,
}

impl MeteredJournal {
    pub(crate) fn new(metrics: &Arc<Metrics>) -> Self {
        Self {
            duration: metrics.histogram(&names::JOURNAL_COMMIT_DURATION, &[]),
            entries: metrics.histogram(&names::JOURNAL_COMMIT_ENTRIES, &[]),
            // Exposed from the start: an alert looks for its increase.
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
