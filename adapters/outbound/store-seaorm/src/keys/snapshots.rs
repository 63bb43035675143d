//! Snapshots of keys: their states, and the use of their counters in a month.
//!
//! Each key's first requests wait for it, so the statement is a constant, with one text for any
//! number of keys.

use domain::key::KeyId;
use domain::month::Month;
use ports::outbound::{Snapshot, StoreError};
use sea_orm::{DbBackend, FromQueryResult as _, Statement};

use super::row::SnapshotRow;

use crate::store::{Store, failed};

/// A `sum` of use; -1 for a number that this program can't have written, which must not lower the
/// sum: on SQLite a text is more than any number, and adds nothing. A sum of BIGINT is NUMERIC on
/// PostgreSQL.
macro_rules! sum {
    ($column:literal) => {
        concat!(
            "CAST(CASE WHEN MIN(used.",
            $column,
            ") < 0 OR MAX(used.",
            $column,
            ") > 9223372036854775807 \
             THEN -1 ELSE COALESCE(SUM(used.",
            $column,
            "), 0) END AS BIGINT) AS ",
            $column
        )
    };
}

/// Reads keys; `$1` is a JSON array of ids, `$2` the month.
macro_rules! snapshots {
    ($ids:literal) => {
        concat!(
            "SELECT keys.*, ", sum!("charged"), ", ", sum!("refunded"), " FROM api_keys AS keys \
             LEFT JOIN api_keys AS sharing ON sharing.id = COALESCE(keys.first_key_id, keys.id) \
             OR sharing.first_key_id = COALESCE(keys.first_key_id, keys.id) \
             LEFT JOIN monthly_use AS used ON used.key_id = sharing.id AND used.month = $2 \
             WHERE keys.id IN (", $ids, ") GROUP BY keys.id"
        )
    };
}

const ON_SQLITE: &str = snapshots!("SELECT value FROM json_each($1)");
const ON_POSTGRES: &str = snapshots!("SELECT json_array_elements_text($1::json)");

impl Store {
    pub(super) async fn read_snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError> {
        let ids: Vec<_> = ids.iter().map(|id| format!("\"{id}\"")).collect();
        let ids = format!("[{}]", ids.join(","));
        let backend = self.connection.get_database_backend();
        let sql = match backend {
            DbBackend::Postgres => ON_POSTGRES,
            _ => ON_SQLITE,
        };
        let values = [ids.into(), i64::from(month.number()).into()];
        let statement = Statement::from_sql_and_values(backend, sql, values);
        let rows = SnapshotRow::find_by_statement(statement);
        let rows = rows.all(&self.connection).await.map_err(failed)?;
        let read = |row: SnapshotRow| Ok((row.id()?, row.read(month)?));
        rows.into_iter().map(read).collect()
    }
}
