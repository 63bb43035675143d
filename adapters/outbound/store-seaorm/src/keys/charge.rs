//! Charge of one request to a key's month, on condition that its quota allows it.

use chrono::{DateTime, Utc};
use domain::key::KeyId;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::StoreError;
use sea_orm::{DbBackend, FromQueryResult, Statement};

use super::row::UseRow;
use crate::journal::minute;
use crate::store::{Store, failed};

/// Parameters: month, minute, key. A key may always be charged the first request of a month, for no
/// quota is zero. Of several charges that are about one row each sees the result of the one before.
const CHARGE: [&str; 4] = [
    "INSERT INTO monthly_use (key_id, month, charged, refunded, last_used_at) \
     SELECT id, CAST(",
    " AS BIGINT), 1, 0, CAST(",
    " AS BIGINT) FROM api_keys WHERE revoked_at IS NULL AND id = ",
    " ON CONFLICT (key_id, month) DO UPDATE SET \
       charged = monthly_use.charged + 1, \
       last_used_at = CASE WHEN excluded.last_used_at > monthly_use.last_used_at \
         THEN excluded.last_used_at ELSE monthly_use.last_used_at END \
     WHERE monthly_use.charged - monthly_use.refunded < (SELECT \
       COALESCE(monthly_quota, 9223372036854775807) FROM api_keys WHERE id = excluded.key_id) \
     RETURNING charged, refunded",
];

impl Store {
    /// One statement, so that it is one commit, and no count is read that another one changes.
    pub(super) async fn charge_month(
        &self,
        key: KeyId,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError> {
        let backend = self.connection.get_database_backend();
        let places = match backend {
            DbBackend::Postgres => ["$1", "$2", "$3"],
            DbBackend::Sqlite | DbBackend::MySql | _ => ["?"; 3],
        };
        let [first, second, third, last] = CHARGE;
        let sql = [first, places[0], second, places[1], third, places[2], last].concat();
        let id = key.to_string();
        let values = [
            i64::from(month.number()).into(),
            minute(at.timestamp_millis()).into(),
            id.clone().into(),
        ];
        let charge = Statement::from_sql_and_values(backend, sql, values);
        let charged = UseRow::find_by_statement(charge)
            .one(&self.connection)
            .await
            .map_err(failed)?;
        charged.map(|used| used.read(&id)).transpose()
    }
}
