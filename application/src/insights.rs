//! Insights for the dashboard: usage, limits, health of the banks, customers and the audit log.

mod report;
mod service;
mod types;

pub use service::{InsightSources, InsightsService};
pub use types::{BankHealth, BankState, Series, SeriesLabel, UsageReport};
