//! Proofs that were delivered to each customer. The journal writes them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use ports::outbound::{SeenProofs, StoreError};
use sea_orm::{ConnectionTrait, DbErr, Statement, Value};

use crate::journal::deliveries;
use crate::store::{Store, failed};

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
        self.in_time(async { self.sum(customer, marks).await.map_err(failed) })
            .await
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

impl Store {
    async fn sum(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, DbErr> {
        let places: Vec<_> = (2..2 + marks.len())
            .map(|place| format!("${place}"))
            .collect();
        let sql = format!(
            "SELECT CAST(COALESCE(SUM(deliveries), 0) AS BIGINT), MIN(first_at) FROM seen_proofs \
             WHERE customer_id = $1 AND hash IN ({})",
            places.join(", ")
        );
        let hashes = marks.iter().map(|mark| Value::from(mark.hex()));
        let values: Vec<_> = std::iter::once(customer.to_string().into())
            .chain(hashes)
            .collect();
        let backend = self.connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, sql, values);
        let Some(row) = self.connection.query_one_raw(statement).await? else {
            return Ok(EarlierDeliveries::default());
        };
        let times: i64 = row.try_get_by_index(0)?;
        let first: Option<i64> = row.try_get_by_index(1)?;
        Ok(EarlierDeliveries {
            times: u64::try_from(times).unwrap_or_default(),
            first: first.and_then(DateTime::from_timestamp_millis),
        })
    }
}
