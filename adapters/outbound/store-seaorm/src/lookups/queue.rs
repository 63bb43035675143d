//! Length and age of the queue, and the time at which it has work again.

use chrono::{DateTime, Utc};
use domain::pacing::LookupClass;
use ports::outbound::{QueuedClass, StoreError};
use sea_orm::{ConnectionTrait as _, DatabaseConnection, FromQueryResult, Statement};

use crate::row::Row;
use crate::store::failed;

/// Counts the lookups that aren't final, through the index of these.
const MEASURE: &str = "SELECT next_class AS class, COUNT(*) AS lookups, \
     COUNT(CASE WHEN due_at <= $1 THEN 1 END) AS due, \
     MIN(CASE WHEN due_at <= $1 THEN due_at END) AS oldest \
     FROM lookups WHERE due_at IS NOT NULL GROUP BY next_class";

/// Reads one index entry for each class.
const NEXT_DUE: &str = "SELECT MIN(due_at) FROM (\
    SELECT MIN(due_at) AS due_at FROM lookups WHERE due_at IS NOT NULL AND next_class = $1 \
    UNION ALL \
    SELECT MIN(due_at) FROM lookups WHERE due_at IS NOT NULL AND next_class = $2) AS classes";

#[derive(FromQueryResult)]
struct CountRow {
    class: String,
    lookups: i64,
    due: i64,
    oldest: Option<i64>,
}

/// The instant at which the next lookup is due.
pub(super) async fn next_due(
    connection: &DatabaseConnection,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    let backend = connection.get_database_backend();
    let classes = LookupClass::ALL.map(|class| class.name().into());
    let query = Statement::from_sql_and_values(backend, NEXT_DUE, classes);
    let found = connection.query_one_raw(query).await.map_err(failed)?;
    let Some(found) = found else {
        return Ok(None);
    };
    let row = Row {
        table: "lookups",
        id: "the next one",
    };
    let due_at = found.try_get_by_index(0).map_err(failed)?;
    row.optional_instant(due_at, "due_at")
}

/// Length and age of the queue of each class.
pub(super) async fn measure(
    connection: &DatabaseConnection,
    now: DateTime<Utc>,
) -> Result<Vec<QueuedClass>, StoreError> {
    let backend = connection.get_database_backend();
    let values = [now.timestamp_millis().into()];
    let query = Statement::from_sql_and_values(backend, MEASURE, values);
    let rows = CountRow::find_by_statement(query).all(connection).await;
    let rows = rows.map_err(failed)?;
    let classes = LookupClass::ALL.into_iter();
    classes.map(|class| of_class(class, &rows)).collect()
}

fn of_class(class: LookupClass, rows: &[CountRow]) -> Result<QueuedClass, StoreError> {
    let Some(counted) = rows.iter().find(|row| row.class == class.name()) else {
        return Ok(QueuedClass {
            class,
            due: 0,
            waiting: 0,
            oldest: None,
        });
    };
    let row = Row {
        table: "lookups",
        id: &counted.class,
    };
    Ok(QueuedClass {
        class,
        due: row.count(counted.due, "due_at")?,
        waiting: row.count(counted.lookups - counted.due, "due_at")?,
        oldest: row.optional_instant(counted.oldest, "due_at")?,
    })
}
