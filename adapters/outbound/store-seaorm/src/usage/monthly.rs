//! Use of keys by month.

use chrono::{DateTime, Utc};
use domain::keys::KeyId;
use domain::month::Month;
use ports::outbound::StoreError;
use sea_orm::{ConnectionTrait, DatabaseTransaction, Value};

use crate::error::failed;
use crate::insert::{ColumnType, Insert, columns};
use crate::stored::Stored;

/// Insert that adds to the use of keys in months.
pub(crate) fn insert() -> Insert {
    Insert {
        table: "monthly_use",
        columns: columns(&[
            ("key_id", ColumnType::Text),
            ("month", ColumnType::Number),
            ("charged", ColumnType::Number),
            ("refunded", ColumnType::Number),
            ("last_used_at", ColumnType::Number),
        ]),
        on_conflict: "(key_id, month) DO UPDATE SET \
            charged = monthly_use.charged + excluded.charged, \
            refunded = monthly_use.refunded + excluded.refunded, \
            last_used_at = CASE WHEN excluded.last_used_at > monthly_use.last_used_at \
                THEN excluded.last_used_at ELSE monthly_use.last_used_at END"
            .to_owned(),
    }
}

/// Use of a key in a month, to add.
pub(crate) struct Use {
    pub(crate) key: KeyId,
    pub(crate) month: Month,
    pub(crate) charged: u64,
    pub(crate) refunded: u64,
    /// Time of the last use; `None` leaves the stored one as it is.
    pub(crate) last_used_at: Option<DateTime<Utc>>,
}

impl Use {
    /// Refunds a number of requests.
    pub(crate) fn refund(key: KeyId, month: Month, refunded: u64) -> Self {
        Self {
            key,
            month,
            charged: 0,
            refunded,
            last_used_at: None,
        }
    }

    /// Values of the row, in the order of the columns.
    pub(crate) fn values(self) -> [Value; 5] {
        let last = self.last_used_at.map_or(0, |at| at.timestamp_millis());
        [
            Stored(self.key).into(),
            Stored(self.month).into(),
            Stored(self.charged).into(),
            Stored(self.refunded).into(),
            minute(last).into(),
        ]
    }
}

/// Adds use, ordered by key and month as in the journal, so that two sessions that lock the same
/// rows never deadlock.
pub(crate) async fn add(
    transaction: &DatabaseTransaction,
    mut uses: Vec<Use>,
) -> Result<(), StoreError> {
    uses.sort_unstable_by_key(|used| (used.key, used.month));
    let values = uses.into_iter().flat_map(Use::values);
    let prepared = insert().prepare(transaction.get_database_backend());
    for statement in prepared.statements(values) {
        transaction.execute_raw(statement).await.map_err(failed)?;
    }
    Ok(())
}

/// Start of an instant's minute; both in unix milliseconds.
pub(crate) fn minute(millis: i64) -> i64 {
    millis - millis.rem_euclid(60_000)
}
