//! History of deliveries: how often a customer was given a proof.

use std::sync::Arc;

use domain::customer::CustomerId;
use domain::key::{Environment, KeyHasher};
use domain::request::RequestId;
use domain::seen::{EarlierDeliveries, ProofMark};
use ports::Cause;
use ports::inbound::Delivery;
use ports::outbound::{SeenProofs, UsageJournal};

/// Recognises proofs that a customer was given before, by keyed hashes.
pub struct DeliveryHistory {
    hasher: KeyHasher,
    seen_proofs: Arc<dyn SeenProofs>,
    journal: Arc<dyn UsageJournal>,
}

impl DeliveryHistory {
    /// A history that `journal` writes and `seen_proofs` reads, with the secrets of `hasher`.
    pub fn new(
        hasher: KeyHasher,
        seen_proofs: Arc<dyn SeenProofs>,
        journal: Arc<dyn UsageJournal>,
    ) -> Self {
        Self {
            hasher,
            seen_proofs,
            journal,
        }
    }

    /// The mark of a delivered proof, to be recorded.
    pub(super) fn mark(&self, environment: Environment, delivery: &Delivery) -> Option<ProofMark> {
        ProofMark::of(&self.hasher, environment, delivery.issuer, &delivery.proof)
    }

    /// Deliveries of a proof to a customer until now; `None` when they can't be read. Those of this
    /// process are all counted, those of another one once its journal has written them, within a second.
    pub(super) async fn earlier(
        &self,
        customer: CustomerId,
        (environment, delivery): (Environment, &Delivery),
        request_id: &RequestId,
    ) -> Option<EarlierDeliveries> {
        let (issuer, proof) = (delivery.issuer, &delivery.proof);
        let marks = ProofMark::all(&self.hasher, environment, issuer, proof);
        let read = self.read(customer, &marks).await;
        read.inspect_err(|cause| {
            tracing::warn!(%request_id, %cause, "earlier deliveries of a proof could not be read");
        })
        .ok()
    }

    async fn read(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, Cause> {
        let flushed = self.journal.flush().await;
        flushed.map_err(|error| Arc::new(error) as Cause)?;
        let read = self.seen_proofs.deliveries(customer, marks).await;
        read.map_err(|error| Arc::new(error) as Cause)
    }
}
