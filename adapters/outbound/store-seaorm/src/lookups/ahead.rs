//! Due lookups that are claimed before another one.

use chrono::{DateTime, Utc};
use domain::lookups::{OtherQueue, QueueAhead};
use ports::outbound::{StoreError, StoredLookup};
use sea_orm::{ConnectionTrait as _, DatabaseConnection, FromQueryResult, Statement, Value};

use crate::row::Row;
use crate::store::failed;

/// Maximum number of due lookups counted for one customer.
const MOST_OF_A_CUSTOMER: i64 = 10_000;
/// Maximum number of customers whose due lookups are counted.
const MOST_CUSTOMERS: i64 = 1_000;

/// Counts the customer's own lookups that were due before this one, through the index of due
/// lookups.
const OWN: &str = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM lookups \
    WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = $2 \
    AND (due_at, id) < ($3, $4) LIMIT $5) AS counted";

/// Counts the due lookups of each other customer, at most as many as can come before this one.
/// Steps through the index from one customer to the next, without reading further lookups.
const OTHERS: &str = "WITH RECURSIVE open (customer_id) AS (\
    SELECT MIN(customer_id) FROM lookups WHERE due_at IS NOT NULL AND next_class = $1 \
    UNION ALL \
    SELECT (SELECT MIN(customer_id) FROM lookups \
        WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id > open.customer_id) \
    FROM open WHERE open.customer_id IS NOT NULL) \
    SELECT open.customer_id, (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lookups \
        WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = open.customer_id \
        AND due_at <= $2 LIMIT $3) AS counted) AS due, \
    COALESCE((SELECT turn FROM lookup_turns WHERE customer_id = open.customer_id), 0) AS turn, \
    COALESCE((SELECT turn FROM lookup_turns WHERE customer_id = $4), 0) AS own_turn \
    FROM open WHERE open.customer_id <> $4 LIMIT $5";

#[derive(FromQueryResult)]
struct OtherRow {
    customer_id: String,
    due: i64,
    turn: i64,
    own_turn: i64,
}

/// The due lookups that are claimed before this one.
pub(super) async fn of(
    connection: &DatabaseConnection,
    lookup: &StoredLookup,
    now: DateTime<Utc>,
) -> Result<QueueAhead, StoreError> {
    let class = || Value::from(lookup.next_class().name());
    let own_id = lookup.facts.customer.to_string();
    let customer = || Value::from(own_id.as_str());
    let due_at = lookup.due_at.map(|due_at| due_at.timestamp_millis());
    let backend = connection.get_database_backend();
    let values = [
        class(),
        customer(),
        due_at.into(),
        lookup.facts.id.to_string().into(),
        MOST_OF_A_CUSTOMER.into(),
    ];
    let query = Statement::from_sql_and_values(backend, OWN, values);
    let counted = connection.query_one_raw(query).await.map_err(failed)?;
    let own = counted.map(|row| row.try_get_by_index::<i64>(0));
    let own = own.transpose().map_err(failed)?.unwrap_or_default();
    let values = [
        class(),
        now.timestamp_millis().into(),
        (own + 1).into(),
        customer(),
        MOST_CUSTOMERS.into(),
    ];
    let query = Statement::from_sql_and_values(backend, OTHERS, values);
    let rows = OtherRow::find_by_statement(query).all(connection).await;
    let others = rows.map_err(failed)?.into_iter().map(|other| {
        let row = Row {
            table: "lookups",
            id: &other.customer_id,
        };
        let (turn, own_turn) = (other.turn, other.own_turn);
        Ok(OtherQueue {
            due: row.count(other.due, "due_at")?,
            goes_first: (turn, &other.customer_id) < (own_turn, &own_id),
        })
    });
    let own_row = Row {
        table: "lookups",
        id: &own_id,
    };
    Ok(QueueAhead {
        own: own_row.count(own, "due_at")?,
        others: others.collect::<Result<_, StoreError>>()?,
    })
}
