//! Insights: usage, limits, the bank, customers and the audit log.

mod report;
mod service;
mod types;

pub use service::{InsightSources, InsightsService};
pub use types::{BankHealth, BankState, Series, SeriesLabel, UsageReport};
