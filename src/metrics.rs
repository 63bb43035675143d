//! Metrics for Prometheus: counters, gauges and histograms.
//!
//! Events are recorded where they happen, with the macros of the crate `metrics`; `sinks` and
//! `limiter` record those of adapters. `gauges` samples states at scrape time. `names` describes all
//! metrics. No label's value comes from a caller: each is one of a fixed set.
//!
//! A series is exposed on its first use. Series whose increase triggers an alert are exposed from
//! the start, so that the first failure counts as an increase.

mod exposition;
mod gauges;
mod limiter;
mod names;
mod number;
mod process;
mod sinks;
#[cfg(test)]
mod tests;

pub(crate) use exposition::{Metrics, UPKEEP};
pub(crate) use gauges::{ScrapedGauges, Sources, lookup_queue, webhook_queue};
pub(crate) use limiter::MeteredLimiter;
pub(crate) use sinks::{MeteredJournal, MeteredRequests};
