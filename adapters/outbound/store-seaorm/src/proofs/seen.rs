//! Proofs that were delivered to each customer. The journal writes them.

use std::iter::once;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use ports::outbound::{SeenProofs, StoreError};
use sea_orm::{ConnectionTrait as _, FromQueryResult};

use super::deliveries;
use crate::read::{places, query, sql};
use crate::store::Store;
use crate::stored::{Stored, Time};

#[async_trait]
impl SeenProofs for Store {
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, StoreError> {
        if marks.is_empty() {
            return Ok(EarlierDeliveries::default());
        }
        let sum = format!(
            "SELECT CAST(COALESCE(SUM(deliveries), 0) AS BIGINT) AS times, MIN(first_at) AS first \
             FROM seen_proofs WHERE customer_id = $1 AND hash IN ({})",
            places(2, marks.len())
        );
        let hashes = marks.iter().map(|mark| Stored(*mark).into());
        let values = once(Stored(customer).into()).chain(hashes);
        let sum = sql(&self.connection, sum, values);
        let sum = query::<SumRow>(&self.connection, "seen_proofs", sum);
        let sum = self.in_time(sum).await?.pop();
        Ok(
            sum.map_or_else(EarlierDeliveries::default, |sum| EarlierDeliveries {
                times: sum.times.0,
                first: sum.first.map(Stored::value),
            }),
        )
    }

    async fn add_deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let backend = self.connection.get_database_backend();
        let values = deliveries::values_of(marks.iter().map(|mark| (customer, *mark, at)));
        let statements = deliveries::insert().prepare(backend).statements(values);
        self.in_time(async {
            for statement in statements {
                self.write(self.connection.execute_raw(statement)).await?;
            }
            Ok(())
        })
        .await
    }
}

#[derive(FromQueryResult)]
struct SumRow {
    times: Stored<u64>,
    first: Option<Time>,
}
