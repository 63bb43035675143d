//! Bounded queue of spans that wait to be sent, which limits memory when the collector is slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchSpanProcessor, Span, SpanData, SpanProcessor};

/// Maximum number of waiting spans, including those being sent: some 10 MiB.
pub(super) const MOST_WAITING: usize = 8_192;

/// Counts of the spans of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Spans that the collector accepted.
    pub(crate) sent: u64,
    /// Spans that the collector didn't accept: it was unreachable, or refused them.
    pub(crate) failed: u64,
    /// Spans dropped because too many waited.
    pub(crate) dropped: u64,
}

/// Counters of spans, and of those that wait.
#[derive(Debug, Default)]
pub(super) struct Tally {
    waiting: AtomicUsize,
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Tally {
    /// Reserves a place for a span that has ended; counts it as dropped when there is none.
    fn take_place(&self) -> bool {
        if self.waiting.fetch_add(1, Relaxed) < MOST_WAITING {
            return true;
        }
        self.waiting.fetch_sub(1, Relaxed);
        self.dropped.fetch_add(1, Relaxed);
        false
    }

    /// Removes spans from the queue: the collector accepted all but `failed` of them.
    pub(super) fn settle(&self, spans: usize, failed: u64) {
        self.waiting.fetch_sub(spans, Relaxed);
        self.failed.fetch_add(failed, Relaxed);
        let sent = (spans as u64).saturating_sub(failed);
        self.sent.fetch_add(sent, Relaxed);
    }

    /// Number of spans that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Relaxed)
    }

    pub(super) fn counts(&self) -> Counts {
        Counts {
            sent: self.sent.load(Relaxed),
            failed: self.failed.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
        }
    }
}

/// Span processor that passes spans on while there is a place for them. The library's own queue
/// doesn't report how many it drops.
#[derive(Debug)]
pub(super) struct Bounded {
    batches: BatchSpanProcessor,
    tally: Arc<Tally>,
}

impl Bounded {
    pub(super) fn new(batches: BatchSpanProcessor, tally: Arc<Tally>) -> Self {
        Self { batches, tally }
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, _span: &mut Span, _context: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() && self.tally.take_place() {
            self.batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_dropped_and_counted() {
        let tally = Tally::default();
        assert!((0..MOST_WAITING).all(|_| tally.take_place()));
        assert!(!tally.take_place());
        assert!(!tally.take_place());
        tally.settle(3, 2);
        assert_eq!(tally.waiting(), MOST_WAITING - 3);
        assert!((0..3).all(|_| tally.take_place()));
        assert!(!tally.take_place());
        let counts = Counts {
            sent: 1,
            failed: 2,
            dropped: 3,
        };
        assert_eq!(tally.counts(), counts);
    }
}
