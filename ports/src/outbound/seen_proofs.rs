//! Port: the proofs that were delivered to each customer.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::customer::CustomerId;
use domain::seen::{EarlierDeliveries, ProofMark};

use super::StoreError;

/// Port: delivered proofs. The journal writes those of requests, with the requests that they belong to.
#[async_trait]
pub trait SeenProofs: Send + Sync {
    /// The deliveries to this customer of the proof that has these marks: one for each secret that is
    /// in use. Deliveries to others never count.
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, StoreError>;

    /// Counts one more delivery to this customer of each of these proofs, which no request delivered.
    async fn add_deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
