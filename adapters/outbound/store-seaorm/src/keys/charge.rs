//! Charge of one request to the month of a key's counters, on condition that its quota allows it.

use chrono::{DateTime, Utc};
use domain::keys::CountedKey;
use domain::limits::MonthlyUse;
use domain::month::Month;
use ports::outbound::StoreError;
use sea_orm::{ConnectionTrait as _, Value};

use super::row::UseRow;
use crate::error::failed;
use crate::read::{query, sql};
use crate::store::Store;
use crate::stored::Stored;
use crate::usage::monthly::minute;

/// Parameters: key, month, minute. Whichever of the keys that share their counters is charged, the
/// row of the first key changes, so that each charge sees the result of the one before. Charges
/// that journals wrote for the successors are in other rows, which this never changes.
const CHARGE: &str = "INSERT INTO monthly_use (key_id, month, charged, refunded, last_used_at) \
    SELECT COALESCE(first_key_id, id), CAST($2 AS BIGINT), 1, 0, CAST($3 AS BIGINT) \
    FROM api_keys charged_key WHERE revoked_at IS NULL AND id = $1 \
      AND (SELECT COALESCE(SUM(other.charged - other.refunded), 0) FROM monthly_use other \
        WHERE other.month = CAST($2 AS BIGINT) AND other.key_id IN (SELECT id FROM api_keys \
          WHERE first_key_id = COALESCE(charged_key.first_key_id, charged_key.id))) \
        < COALESCE(monthly_quota, 9223372036854775807) \
    ON CONFLICT (key_id, month) DO UPDATE SET \
      charged = monthly_use.charged + 1, \
      last_used_at = CASE WHEN excluded.last_used_at > monthly_use.last_used_at \
        THEN excluded.last_used_at ELSE monthly_use.last_used_at END \
    WHERE monthly_use.charged - monthly_use.refunded + \
        (SELECT COALESCE(SUM(other.charged - other.refunded), 0) FROM monthly_use other \
          WHERE other.month = excluded.month AND other.key_id IN (SELECT id FROM api_keys \
            WHERE first_key_id = excluded.key_id)) \
      < (SELECT COALESCE(monthly_quota, 9223372036854775807) FROM api_keys WHERE id = $1) \
    RETURNING \
      CAST(charged + (SELECT COALESCE(SUM(other.charged), 0) FROM monthly_use other \
        WHERE other.month = monthly_use.month AND other.key_id IN (SELECT id FROM api_keys \
          WHERE first_key_id = monthly_use.key_id)) AS BIGINT) AS charged, \
      CAST(refunded + (SELECT COALESCE(SUM(other.refunded), 0) FROM monthly_use other \
        WHERE other.month = monthly_use.month AND other.key_id IN (SELECT id FROM api_keys \
          WHERE first_key_id = monthly_use.key_id)) AS BIGINT) AS refunded";

/// Parameters: key, month, minute. Stores the last use of a successor, whose charge is in another
/// row.
const USE: &str = "INSERT INTO monthly_use (key_id, month, charged, refunded, last_used_at) \
    VALUES ($1, CAST($2 AS BIGINT), 0, 0, CAST($3 AS BIGINT)) \
    ON CONFLICT (key_id, month) DO UPDATE SET last_used_at = excluded.last_used_at \
    WHERE excluded.last_used_at > monthly_use.last_used_at";

impl Store {
    /// One statement, so that it is one commit, and the counts can't change between reading and
    /// writing.
    pub(super) async fn charge_month(
        &self,
        key: CountedKey,
        month: Month,
        at: DateTime<Utc>,
    ) -> Result<Option<MonthlyUse>, StoreError> {
        let used_at = minute(at.timestamp_millis());
        let statement = |text: &str, used_at: i64| {
            let values: [Value; 3] = [Stored(key.id).into(), Stored(month).into(), used_at.into()];
            sql(&self.connection, text, values)
        };
        // A successor's request is no use of the first key.
        let last_use_of_first = if key.is_first() { used_at } else { 0 };
        let charge = statement(CHARGE, last_use_of_first);
        let charged = query::<UseRow>(&self.connection, "monthly_use", charge).await?;
        let Some(charged) = charged.first() else {
            return Ok(None);
        };
        if !key.is_first() {
            let used = self.connection.execute_raw(statement(USE, used_at));
            used.await.map_err(failed)?;
        }
        Ok(Some(charged.read()))
    }
}
