//! Removing what is too old to be kept.

use chrono::{DateTime, TimeDelta, Utc};
use ports::outbound::StoreError;
use sea_orm::sea_query::{Alias, DeleteStatement, Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::entity::{api_keys, denied, journal_marks};
use crate::store::{Store, failed};

/// Rows that are removed by one statement: few enough that nobody waits long for it.
const AT_ONCE: u64 = 1_000;

/// What is too old to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Requests that arrived before this, and marks of writers that are gone since then.
    pub requests_before: DateTime<Utc>,
    /// Use of hours and days that ended before this.
    pub usage_before: DateTime<Utc>,
    /// What was denied until now, or not even so long.
    pub now: DateTime<Utc>,
}

/// How much was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Requests.
    pub requests: u64,
    /// Rows of use: of a key, a customer, an endpoint and an outcome in one hour or day.
    pub usage: u64,
    /// Denials.
    pub denials: u64,
}

impl Store {
    /// Removes what is too old to be kept. The audit log is kept for ever.
    ///
    /// # Errors
    /// When the database fails; what was removed until then stays removed.
    pub async fn prune(&self, retention: Retention) -> Result<Pruned, StoreError> {
        let Retention {
            requests_before,
            usage_before,
            now,
        } = retention;
        let hours = usage_before - TimeDelta::hours(1) + TimeDelta::milliseconds(1);
        let days = usage_before - TimeDelta::days(1) + TimeDelta::milliseconds(1);
        let requests = self.prune_table(&REQUESTS, requests_before).await?;
        let usage = self.prune_table(&HOURS, hours).await? + self.prune_table(&DAYS, days).await?;
        journal_marks::Entity::delete_many()
            .filter(journal_marks::Column::At.lt(requests_before.timestamp_millis()))
            .exec(&self.connection)
            .await
            .map_err(failed)?;
        let denials = denied::Entity::delete_many()
            .filter(denied::Column::Until.lte(now.timestamp_millis()))
            .exec(&self.connection)
            .await
            .map_err(failed)?;
        Ok(Pruned {
            requests,
            usage,
            denials: denials.rows_affected,
        })
    }

    /// Removes the rows that begin before an instant, some at a time.
    async fn prune_table(&self, table: &Table, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let statement = table.removal(before);
        let mut removed = 0;
        loop {
            let some = self.connection.execute(&statement).await.map_err(failed)?;
            removed += some.rows_affected();
            if some.rows_affected() < AT_ONCE {
                return Ok(removed);
            }
        }
    }
}

/// A table that grows with time.
struct Table {
    name: &'static str,
    primary_key: &'static [&'static str],
    begins: &'static str,
    /// The column of the key through which old rows are found, where no index begins with the
    /// instant.
    through_keys: Option<&'static str>,
}

const REQUESTS: Table = Table {
    name: "requests",
    primary_key: &["id"],
    begins: "at",
    through_keys: None,
};

const HOURS: Table = Table {
    name: "usage_hours",
    primary_key: &["key_id", "hour", "endpoint", "outcome"],
    begins: "hour",
    through_keys: Some("key_id"),
};

const DAYS: Table = Table {
    name: "customer_usage_days",
    primary_key: &["customer_id", "day", "endpoint", "outcome"],
    begins: "day",
    through_keys: None,
};

impl Table {
    fn removal(&self, before: DateTime<Utc>) -> DeleteStatement {
        let columns = || self.primary_key.iter().map(|column| Alias::new(*column));
        let mut some = Query::select();
        some.columns(columns())
            .from(Alias::new(self.name))
            .and_where(Expr::col(Alias::new(self.begins)).lt(before.timestamp_millis()))
            .limit(AT_ONCE);
        if let Some(column) = self.through_keys {
            let keys = Query::select()
                .column(api_keys::Column::Id)
                .from(api_keys::Entity)
                .take();
            some.and_where(Expr::col(Alias::new(column)).in_subquery(keys));
        }
        Query::delete()
            .from_table(Alias::new(self.name))
            .and_where(Expr::tuple(columns().map(Expr::col)).in_subquery(some.take()))
            .take()
    }
}
