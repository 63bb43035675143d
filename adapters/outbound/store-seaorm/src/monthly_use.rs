//! Use of keys by month.

use domain::keys::KeyId;
use domain::month::Month;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};

use crate::insert::{ColumnType, Insert, columns};
use crate::row::stored;

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

pub(crate) struct Use {
    pub(crate) key: KeyId,
    pub(crate) month: Month,
    pub(crate) charged: u64,
    pub(crate) refunded: u64,
    /// Time of the last use, in unix milliseconds; 0 leaves the stored one as it is.
    pub(crate) last_used_at: i64,
}

/// Adds use, ordered by key and month as in the journal, so that two sessions that lock the same
/// rows never deadlock.
pub(crate) async fn add(
    transaction: &DatabaseTransaction,
    mut uses: Vec<Use>,
) -> Result<(), DbErr> {
    uses.sort_unstable_by_key(|used| (used.key, used.month));
    let values = uses.into_iter().flat_map(|used| {
        [
            used.key.to_string().into(),
            i64::from(used.month.number()).into(),
            stored(used.charged).into(),
            stored(used.refunded).into(),
            minute(used.last_used_at).into(),
        ]
    });
    let prepared = insert().prepare(transaction.get_database_backend());
    for statement in prepared.statements(values) {
        transaction.execute_raw(statement).await?;
    }
    Ok(())
}

/// Start of an instant's minute; both in unix milliseconds.
pub(crate) fn minute(millis: i64) -> i64 {
    millis - millis.rem_euclid(60_000)
}
