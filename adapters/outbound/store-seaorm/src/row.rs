//! Values of rows: ids, instants, counts, and errors for unreadable ones.

use chrono::{DateTime, Utc};
use domain::limits::Plan;
use ports::outbound::StoreError;
use uuid::Uuid;

use crate::entity::customers;
use crate::store::failed;

/// A row, as errors name it.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) table: &'static str,
    /// Id of the row, or of its owner.
    pub(crate) id: &'a str,
}

impl Row<'_> {
    /// The error for a value that this program can't have written.
    pub(crate) fn unreadable(self, column: &'static str) -> StoreError {
        failed(Unreadable {
            table: self.table,
            id: self.id.to_owned(),
            column,
        })
    }

    pub(crate) fn uuid(self, text: &str, column: &'static str) -> Result<Uuid, StoreError> {
        Uuid::try_parse(text).map_err(|_| self.unreadable(column))
    }

    pub(crate) fn instant(
        self,
        millis: i64,
        column: &'static str,
    ) -> Result<DateTime<Utc>, StoreError> {
        DateTime::from_timestamp_millis(millis).ok_or_else(|| self.unreadable(column))
    }

    pub(crate) fn optional_instant(
        self,
        millis: Option<i64>,
        column: &'static str,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        millis
            .map(|millis| self.instant(millis, column))
            .transpose()
    }

    pub(crate) fn count(self, count: i64, column: &'static str) -> Result<u64, StoreError> {
        u64::try_from(count).map_err(|_| self.unreadable(column))
    }
}

/// A row that this program can't have written.
#[derive(Debug, thiserror::Error)]
#[error("a row of {table} makes no sense in {column}; it is that of {id}")]
struct Unreadable {
    table: &'static str,
    id: String,
    column: &'static str,
}

/// Converts a count to its stored type.
pub(crate) fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Reads the plan of a customer's row.
pub(crate) fn plan(customer: &customers::Model) -> Result<Plan, StoreError> {
    let row = Row {
        table: "customers",
        id: &customer.id,
    };
    Plan::from_name(&customer.plan).ok_or_else(|| row.unreadable("plan"))
}
