//! Plans, and what a month has used of them.

use async_graphql::{Enum, SimpleObject};
use domain::limits;
use domain::month::Month;
use serde::Serialize;
use utoipa::ToSchema;

use super::scalars::{Count, DateTime};

/// Plan of an account: the limits that its new keys start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, ToSchema)]
#[graphql(remote = "domain::limits::Plan")]
#[serde(rename_all = "snake_case")]
pub enum Plan {
    /// 60 requests a minute, 1,000 a month.
    Startup,
    /// 600 requests a minute, no monthly cap.
    Enterprise,
}

/// Use of a UTC calendar month.
#[derive(SimpleObject, Serialize, ToSchema)]
pub struct MonthlyUse {
    /// The month: `2026-11`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$")]
    month: String,
    /// Requests that count against the quota: the admitted ones without those given back.
    used: Count,
    /// Requests admitted.
    charged: Count,
    /// Admitted requests given back, because the gateway or the bank failed.
    refunded: Count,
    /// Rest of the quota; null without a cap, and of an account.
    #[schema(required)]
    remaining: Option<Count>,
    /// End of the month, when the quota begins anew.
    reset_at: DateTime,
}

impl MonthlyUse {
    pub(super) fn new(month: Month, used: limits::MonthlyUse, remaining: Option<u64>) -> Self {
        Self {
            month: month.to_string(),
            used: Count(used.net()),
            charged: Count(used.charged),
            refunded: Count(used.refunded),
            remaining: remaining.map(Count),
            reset_at: DateTime(month.end()),
        }
    }
}
