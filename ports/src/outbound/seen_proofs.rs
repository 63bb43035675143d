//! Port: the proofs that were delivered to each customer.

use async_trait::async_trait;
use domain::customer::CustomerId;
use domain::seen::{EarlierDeliveries, ProofMark};

use super::StoreError;

/// Port: readings of delivered proofs. The journal writes them, with the requests that they belong
/// to.
#[async_trait]
pub trait SeenProofs: Send + Sync {
    /// The deliveries to this customer of the proof that has these marks: one for each secret that is
    /// in use. Deliveries to others never count.
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, StoreError>;
}
