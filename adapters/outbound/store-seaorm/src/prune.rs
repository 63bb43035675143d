//! Pruning of rows whose retention has ended.

use chrono::{DateTime, TimeDelta, Utc};
use ports::outbound::{
    BatchStore as _, IdempotencyStore as _, LookupStore as _, ProofArchive as _, StoreError,
    WebhookStore as _,
};
use sea_orm::sea_query::{Alias, DeleteStatement, Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter,
};

use crate::entity::{api_keys, denied, journal_marks};
use crate::store::Store;
use crate::stored::Stored;

/// Rows removed by one statement: few enough that nothing waits long for it.
pub(crate) const ROWS_PER_STATEMENT: u64 = 1_000;

/// Time that denials are kept beyond their end. The time of erasure may be a day ahead of the true one before it is
/// held back, and a token that was signed out must not be good again once the clock is put right.
const DENIALS_KEPT: TimeDelta = TimeDelta::days(2);

/// Limits of retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Requests that arrived before this are removed, and checkpoints of writers that were last
    /// seen before it.
    pub requests_before: DateTime<Utc>,
    /// Use of hours and days that ended before this is removed, and proofs that were last delivered
    /// before it.
    pub usage_before: DateTime<Utc>,
    /// Archived proofs that were written before this are removed.
    pub archived_before: DateTime<Utc>,
    /// Lookups and batches that ended before this are removed, and deliveries of webhooks.
    pub lookups_ended_before: DateTime<Utc>,
    /// Idempotency keys that expired by now are removed, and denials that ended two days before it.
    pub now: DateTime<Utc>,
}

/// Numbers of removed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Requests.
    pub requests: u64,
    /// Rows of use: of a key, a customer, an endpoint and an outcome in one hour or day.
    pub usage: u64,
    /// Delivered proofs, of a customer each.
    pub seen_proofs: u64,
    /// Archived proofs.
    pub archived: u64,
    /// Lookups of no batch.
    pub lookups: u64,
    /// Batches.
    pub batches: u64,
    /// Deliveries of webhooks.
    pub deliveries: u64,
    /// Idempotency keys.
    pub idempotency_keys: u64,
    /// Denials.
    pub denials: u64,
}

impl Store {
    /// Removes rows whose retention has ended. The audit log is kept for ever.
    ///
    /// # Errors
    /// Fails when the database fails; rows removed until then stay removed.
    pub async fn prune(&self, retention: Retention) -> Result<Pruned, StoreError> {
        let Retention {
            requests_before,
            usage_before,
            archived_before,
            lookups_ended_before,
            now,
        } = retention;
        self.check_files()?;
        let hours = usage_before - TimeDelta::hours(1) + TimeDelta::milliseconds(1);
        let days = usage_before - TimeDelta::days(1) + TimeDelta::milliseconds(1);
        let requests = self.prune_table(&REQUESTS, requests_before).await?;
        let usage = self.prune_table(&HOURS, hours).await? + self.prune_table(&DAYS, days).await?;
        let seen_proofs = self.prune_table(&SEEN_PROOFS, usage_before).await?;
        let archived = self.prune_archive(archived_before).await?;
        let lookups = self.prune_lookups(lookups_ended_before).await?;
        let batches = self.prune_batches(lookups_ended_before).await?;
        let deliveries = self.prune_deliveries(lookups_ended_before).await?;
        let idempotency_keys = self.prune_idempotency(now).await?;
        let denials = self
            .prune_checkpoints_and_denials(requests_before, now)
            .await?;
        Ok(Pruned {
            requests,
            usage,
            seen_proofs,
            archived,
            lookups,
            batches,
            deliveries,
            idempotency_keys,
            denials,
        })
    }

    /// Removes checkpoints of writers that are gone, and denials that ended long enough ago; returns
    /// the number of these.
    async fn prune_checkpoints_and_denials(
        &self,
        writers_before: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        // The journal of this process recognises by its own checkpoint that the database is still
        // the one it wrote to.
        let gone = Condition::all()
            .add(journal_marks::Column::At.lt(Stored(writers_before)))
            .add_option(
                self.writer()
                    .map(|own| journal_marks::Column::Writer.ne(own)),
            );
        let checkpoints = journal_marks::Entity::delete_many().filter(gone);
        self.write(checkpoints.exec(&self.connection)).await?;
        let ended_by = now - DENIALS_KEPT;
        let denials =
            denied::Entity::delete_many().filter(denied::Column::Until.lte(Stored(ended_by)));
        let removed = self.write(denials.exec(&self.connection)).await?;
        Ok(removed.rows_affected)
    }

    /// Removes the rows that begin before an instant, in steps. Those without an instant stay.
    pub(crate) async fn prune_table(
        &self,
        table: &Table,
        before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let some = self.write(self.remove_chunk(table, before)).await?;
            removed += some;
            if some < ROWS_PER_STATEMENT {
                return Ok(removed);
            }
        }
    }

    async fn remove_chunk(&self, table: &Table, before: DateTime<Utc>) -> Result<u64, DbErr> {
        let connection = &self.connection;
        let removed = match connection.get_database_backend() {
            DbBackend::Postgres => {
                let removal = table.removal_in_postgres(before);
                connection.execute_unprepared(&removal).await
            }
            DbBackend::Sqlite | DbBackend::MySql | _ => {
                connection.execute(&table.removal(before)).await
            }
        };
        Ok(removed?.rows_affected())
    }
}

/// A table that grows with time.
pub(crate) struct Table {
    name: &'static str,
    primary_key: &'static [&'static str],
    begins: &'static str,
    /// SQLite: the column of the key through which old rows are found, where no index begins with
    /// the instant.
    through_keys: Option<&'static str>,
    /// A column that is NULL in the rows that may be removed.
    unless: Option<&'static str>,
}

const REQUESTS: Table = Table {
    name: "requests",
    primary_key: &["id"],
    begins: "at",
    through_keys: None,
    unless: None,
};

const HOURS: Table = Table {
    name: "usage_hours",
    primary_key: &["key_id", "hour", "endpoint", "outcome"],
    begins: "hour",
    through_keys: Some("key_id"),
    unless: None,
};

const DAYS: Table = Table {
    name: "customer_usage_days",
    primary_key: &["customer_id", "day", "endpoint", "outcome"],
    begins: "day",
    through_keys: None,
    unless: None,
};

const SEEN_PROOFS: Table = Table {
    name: "seen_proofs",
    primary_key: &["customer_id", "hash"],
    begins: "last_at",
    through_keys: None,
    unless: None,
};

pub(crate) const PROOF_ARCHIVE: Table = Table {
    name: "proof_archive",
    primary_key: &["id"],
    begins: "stored_at",
    through_keys: None,
    unless: None,
};

/// Their attempts are removed with them. Those of a batch are removed with that.
pub(crate) const LOOKUPS: Table = Table {
    name: "lookups",
    primary_key: &["id"],
    begins: "ended_at",
    through_keys: None,
    unless: Some("batch_id"),
};

pub(crate) const WEBHOOK_DELIVERIES: Table = Table {
    name: "webhook_deliveries",
    primary_key: &["id"],
    begins: "ended_at",
    through_keys: None,
    unless: None,
};

pub(crate) const IDEMPOTENCY_KEYS: Table = Table {
    name: "idempotency_keys",
    primary_key: &["id"],
    begins: "expires_at",
    through_keys: None,
    unless: None,
};

impl Table {
    fn removal(&self, before: DateTime<Utc>) -> DeleteStatement {
        let columns = || self.primary_key.iter().map(|column| Alias::new(*column));
        let mut some = Query::select();
        some.columns(columns())
            .from(Alias::new(self.name))
            .and_where(Expr::col(Alias::new(self.begins)).lt(Stored(before)))
            .limit(ROWS_PER_STATEMENT);
        if let Some(column) = self.through_keys {
            let keys = Query::select()
                .column(api_keys::Column::Id)
                .from(api_keys::Entity)
                .take();
            some.and_where(Expr::col(Alias::new(column)).in_subquery(keys));
        }
        if let Some(column) = self.unless {
            some.and_where(Expr::col(Alias::new(column)).is_null());
        }
        Query::delete()
            .from_table(Alias::new(self.name))
            .and_where(Expr::tuple(columns().map(Expr::col)).in_subquery(some.take()))
            .take()
    }

    /// The same by the rows' addresses. Rows that another session removes or writes are left to the
    /// next time: nothing waits, and nothing deadlocks.
    ///
    /// The instant is written into the text: for a prepared statement that has run five times the
    /// server makes a generic plan, which reads the table to its end.
    fn removal_in_postgres(&self, before: DateTime<Utc>) -> String {
        let Self { name, begins, .. } = self;
        let before = before.timestamp_millis();
        let unless = self.unless.map(|column| format!(" AND {column} IS NULL"));
        let unless = unless.unwrap_or_default();
        format!(
            "DELETE FROM {name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM {name} \
             WHERE {begins} < {before}{unless} LIMIT {ROWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))"
        )
    }
}
