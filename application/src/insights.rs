//! Insights: usage, limits, the bank, customers and the audit log.

mod report;
mod service;

pub use service::{InsightSources, InsightsService};
