//! Length and age of the queue, and the time at which it has work again.

use chrono::{DateTime, Utc};
use domain::pacing::LookupClass;
use ports::outbound::{QueuedClass, StoreError};
use sea_orm::{DatabaseConnection, FromQueryResult};

use crate::read::{First, query, sql};
use crate::stored::{Stored, Time};

/// Counts the lookups that aren't final, through the index of these.
const MEASURE: &str = "SELECT next_class AS class, \
     COUNT(CASE WHEN due_at > $1 THEN 1 END) AS waiting, \
     COUNT(CASE WHEN due_at <= $1 THEN 1 END) AS due, \
     MIN(CASE WHEN due_at <= $1 THEN due_at END) AS oldest \
     FROM lookups WHERE due_at IS NOT NULL GROUP BY next_class";

/// Reads one index entry for each class.
const NEXT_DUE: &str = "SELECT MIN(due_at) AS due_at FROM (\
    SELECT MIN(due_at) AS due_at FROM lookups WHERE due_at IS NOT NULL AND next_class = $1 \
    UNION ALL \
    SELECT MIN(due_at) FROM lookups WHERE due_at IS NOT NULL AND next_class = $2) AS classes";

#[derive(FromQueryResult)]
struct CountRow {
    class: Stored<LookupClass>,
    waiting: Stored<u64>,
    due: Stored<u64>,
    oldest: Option<Time>,
}

/// The instant at which the next lookup is due.
pub(super) async fn next_due(
    connection: &DatabaseConnection,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    let classes = LookupClass::ALL.map(|class| Stored(class).into());
    let next =
        query::<First<Option<Time>>>(connection, "lookups", sql(connection, NEXT_DUE, classes))
            .await?;
    let due_at = next.first().and_then(|First(due_at)| *due_at);
    Ok(due_at.map(Stored::value))
}

/// Length and age of the queue of each class.
pub(super) async fn measure(
    connection: &DatabaseConnection,
    now: DateTime<Utc>,
) -> Result<Vec<QueuedClass>, StoreError> {
    let measure = sql(connection, MEASURE, [Stored(now).into()]);
    let rows = query::<CountRow>(connection, "lookups", measure).await?;
    let of_class = |class| {
        let counted = rows.iter().find(|row| row.class.0 == class);
        QueuedClass {
            class,
            due: counted.map_or(0, |row| row.due.0),
            waiting: counted.map_or(0, |row| row.waiting.0),
            oldest: counted.and_then(|row| row.oldest).map(Stored::value),
        }
    };
    Ok(LookupClass::ALL.into_iter().map(of_class).collect())
}
