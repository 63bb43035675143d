//! Use of keys in a month: the sum over all keys that share their counters.

use domain::keys::KeyId;
use domain::month::Month;
use ports::outbound::{Snapshot, StoreError};
use sea_orm::sea_query::Expr;
use sea_orm::{DbBackend, QuerySelect as _, Select};

use super::row::SnapshotRow;
use crate::entity::api_keys;
use crate::read::{query, sql};
use crate::store::Store;
use crate::stored::Stored;

/// The sum of a column of `monthly_use AS used`; -1 if a value can't have been written by this
/// program, as it must not lower the sum: on SQLite a text is greater than any number, and adds
/// nothing. A sum of BIGINT is NUMERIC on PostgreSQL.
macro_rules! sum {
    ($column:literal) => {
        concat!(
            "CAST(CASE WHEN MIN(used.",
            $column,
            ") < 0 OR MAX(used.",
            $column,
            ") > 9223372036854775807 THEN -1 ELSE COALESCE(SUM(used.",
            $column,
            "), 0) END AS BIGINT)"
        )
    };
}

/// The condition that a row of `api_keys AS sharing` shares the counters of a row of another name.
macro_rules! shares_with {
    ($key:literal) => {
        concat!(
            "(sharing.id = COALESCE(",
            $key,
            ".first_key_id, ",
            $key,
            ".id) OR sharing.first_key_id = COALESCE(",
            $key,
            ".first_key_id, ",
            $key,
            ".id))"
        )
    };
}

/// Reads the keys of `$1`, a JSON array of ids, with their use of month `$2`. A constant, with the
/// same text for any number of keys, because the first requests of each key wait for it.
macro_rules! snapshots {
    ($ids:literal) => {
        concat!(
            "SELECT keys.*, ",
            sum!("charged"),
            " AS charged, ",
            sum!("refunded"),
            " AS refunded FROM api_keys AS keys LEFT JOIN api_keys AS sharing ON ",
            shares_with!("keys"),
            " LEFT JOIN monthly_use AS used ON used.key_id = sharing.id AND used.month = $2 \
             WHERE keys.id IN (",
            $ids,
            ") GROUP BY keys.id"
        )
    };
}

const SNAPSHOTS_ON_SQLITE: &str = snapshots!("SELECT value FROM json_each($1)");
const SNAPSHOTS_ON_POSTGRES: &str = snapshots!("SELECT json_array_elements_text($1::json)");

/// The id of the key whose counters a row of `api_keys` shares.
const FIRST_KEY: &str = "COALESCE(api_keys.first_key_id, api_keys.id)";

impl Store {
    pub(super) async fn read_snapshots(
        &self,
        ids: &[KeyId],
        month: Month,
    ) -> Result<Vec<(KeyId, Snapshot)>, StoreError> {
        let ids: Vec<_> = ids.iter().map(|id| format!("\"{id}\"")).collect();
        let ids = format!("[{}]", ids.join(","));
        let snapshots = match self.connection.get_database_backend() {
            DbBackend::Postgres => SNAPSHOTS_ON_POSTGRES,
            _ => SNAPSHOTS_ON_SQLITE,
        };
        let values = [ids.into(), Stored(month).into()];
        let snapshots = sql(&self.connection, snapshots, values);
        let rows = query::<SnapshotRow>(&self.connection, "api_keys", snapshots).await?;
        rows.iter().map(|row| row.read(month)).collect()
    }
}

/// Adds columns with the use of each key's counters in a month.
pub(super) fn with_use(keys: Select<api_keys::Entity>, month: Month) -> Select<api_keys::Entity> {
    let use_of = |sum: &str| {
        Expr::cust(format!(
            "(SELECT {sum} FROM monthly_use AS used WHERE used.month = {} AND used.key_id IN \
             (SELECT {FIRST_KEY} UNION ALL \
             SELECT sharing.id FROM api_keys AS sharing WHERE sharing.first_key_id = {FIRST_KEY}))",
            month.number(),
        ))
    };
    keys.expr_as(use_of(sum!("charged")), "charged")
        .expr_as(use_of(sum!("refunded")), "refunded")
}
