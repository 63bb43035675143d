//! Length and age of the queue.

use chrono::{DateTime, Utc};
use domain::pacing::LookupClass;
use ports::outbound::{QueuedClass, StoreError};
use sea_orm::{DatabaseConnection, FromQueryResult, Statement};

use crate::row::Row;
use crate::store::failed;

/// Counts every lookup that isn't final, in the index of those.
const MEASURE: &str = "SELECT next_class AS class, COUNT(*) AS lookups, \
     COUNT(CASE WHEN due_at <= $1 THEN 1 END) AS due, \
     MIN(CASE WHEN due_at <= $1 THEN due_at END) AS oldest \
     FROM lookups WHERE due_at IS NOT NULL GROUP BY next_class";

#[derive(FromQueryResult)]
struct CountRow {
    class: String,
    lookups: i64,
    due: i64,
    oldest: Option<i64>,
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
