//! Proofs delivered by the requests of a batch, by customer.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::ProofMark;
use ports::outbound::RequestEntry;
use sea_orm::Value;

use crate::insert::{ColumnType, Insert, columns};
use crate::stored::Stored;

/// Deliveries of one proof to one customer.
struct Delivered {
    times: u64,
    first: DateTime<Utc>,
    last: DateTime<Utc>,
}

/// Insert that adds to the deliveries of proofs.
pub(crate) fn insert() -> Insert {
    Insert {
        table: "seen_proofs",
        columns: columns(&[
            ("customer_id", ColumnType::Text),
            ("hash", ColumnType::Text),
            ("deliveries", ColumnType::Number),
            ("first_at", ColumnType::Number),
            ("last_at", ColumnType::Number),
        ]),
        on_conflict: "(customer_id, hash) DO UPDATE SET \
            deliveries = seen_proofs.deliveries + excluded.deliveries, \
            first_at = CASE WHEN excluded.first_at < seen_proofs.first_at \
                THEN excluded.first_at ELSE seen_proofs.first_at END, \
            last_at = CASE WHEN excluded.last_at > seen_proofs.last_at \
                THEN excluded.last_at ELSE seen_proofs.last_at END"
            .to_owned(),
    }
}

/// Values of the rows that a batch's requests add to, ordered by customer and proof.
pub(crate) fn values(requests: &[RequestEntry]) -> Vec<Value> {
    let delivered = requests.iter().flat_map(|request| {
        let marks = request.delivered.iter();
        marks.map(|mark| (request.customer, *mark, request.at))
    });
    values_of(delivered)
}

/// Values of the rows that these deliveries add to, ordered by customer and proof.
pub(crate) fn values_of(
    deliveries: impl Iterator<Item = (CustomerId, ProofMark, DateTime<Utc>)>,
) -> Vec<Value> {
    let rows = rows(deliveries).into_iter();
    rows.flat_map(|((customer, mark), delivered)| {
        [
            Stored(customer).into(),
            Stored(mark).into(),
            Stored(delivered.times).into(),
            Stored(delivered.first).into(),
            Stored(delivered.last).into(),
        ]
    })
    .collect()
}

fn rows(
    deliveries: impl Iterator<Item = (CustomerId, ProofMark, DateTime<Utc>)>,
) -> BTreeMap<(CustomerId, ProofMark), Delivered> {
    let mut rows = BTreeMap::new();
    for (customer, mark, at) in deliveries {
        let delivered = rows.entry((customer, mark)).or_insert(Delivered {
            times: 0,
            first: at,
            last: at,
        });
        delivered.times += 1;
        delivered.first = delivered.first.min(at);
        delivered.last = delivered.last.max(at);
    }
    rows
}
