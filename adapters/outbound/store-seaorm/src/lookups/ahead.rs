//! Due lookups that are claimed before another one.

use chrono::{DateTime, Utc};
use domain::lookups::{OtherQueue, QueueAhead};
use domain::people::customer::CustomerId;
use ports::outbound::{StoreError, StoredLookup};
use sea_orm::{DatabaseConnection, FromQueryResult};

use crate::queue::owners;
use crate::read::{First, query, sql};
use crate::stored::Stored;

/// Maximum number of due lookups counted for one customer.
const MOST_OF_A_CUSTOMER: i64 = 10_000;
/// Maximum number of customers whose due lookups are counted.
const MOST_CUSTOMERS: i64 = 1_000;

/// Counts the customer's own lookups that were due before this one, through the index of due
/// lookups.
const OWN: &str = "SELECT COUNT(*) AS due FROM (SELECT 1 AS one FROM lookups \
    WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = $2 \
    AND (due_at, id) < ($3, $4) LIMIT $5) AS counted";

/// Counts the due lookups of each other customer, at most as many as can come before this one.
const OTHERS: &str = concat!(
    owners!("lookups", "customer_id", "next_class = $1"),
    "SELECT open.customer_id, (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lookups \
        WHERE due_at IS NOT NULL AND next_class = $1 AND customer_id = open.customer_id \
        AND due_at <= $2 LIMIT $3) AS counted) AS due, \
    COALESCE((SELECT turn FROM lookup_turns WHERE customer_id = open.customer_id), 0) AS turn, \
    COALESCE((SELECT turn FROM lookup_turns WHERE customer_id = $4), 0) AS own_turn \
    FROM open WHERE open.customer_id <> $4 LIMIT $5"
);

#[derive(FromQueryResult)]
struct OtherRow {
    customer_id: Stored<CustomerId>,
    due: Stored<u64>,
    turn: i64,
    own_turn: i64,
}

/// Counts the due lookups that may be claimed before this one.
pub(super) async fn of(
    connection: &DatabaseConnection,
    lookup: &StoredLookup,
    now: DateTime<Utc>,
) -> Result<QueueAhead, StoreError> {
    let class = Stored(lookup.next_class());
    let customer = Stored(lookup.facts.customer);
    let values = [
        class.into(),
        customer.into(),
        lookup.due_at.map(Stored).into(),
        Stored(lookup.facts.id).into(),
        MOST_OF_A_CUSTOMER.into(),
    ];
    let counted =
        query::<First<Stored<u64>>>(connection, "lookups", sql(connection, OWN, values)).await?;
    let own = counted.first().map_or(0, |own| own.0.0);
    let values = [
        class.into(),
        Stored(now).into(),
        Stored(own + 1).into(),
        customer.into(),
        MOST_CUSTOMERS.into(),
    ];
    let others = query::<OtherRow>(connection, "lookups", sql(connection, OTHERS, values)).await?;
    let others = others.into_iter().map(|other| OtherQueue {
        due: other.due.0,
        goes_first: (other.turn, other.customer_id) < (other.own_turn, customer),
    });
    Ok(QueueAhead {
        own,
        others: others.collect(),
    })
}
