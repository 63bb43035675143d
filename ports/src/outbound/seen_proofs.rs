//! Port: proofs that were delivered to customers.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};

use super::StoreError;

/// Port: earlier deliveries of proofs. Deliveries of requests are written by the journal, with the request.
#[async_trait]
pub trait SeenProofs: Send + Sync {
    /// Earlier deliveries to this customer of the proof with these marks, one mark for each secret in use.
    /// Deliveries to other customers aren't counted.
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, StoreError>;

    /// Adds a delivery to this customer of each of these proofs, for deliveries without a request.
    async fn add_deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        at: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
