//! Delivered proofs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::people::customer::CustomerId;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use ports::outbound::SeenProofs;

use super::{MemoryStore, Result};

#[async_trait]
impl SeenProofs for MemoryStore {
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries> {
        let tables = self.call("deliveries").await?;
        let of_requests = tables.requests.values().flat_map(|request| {
            let marks = request.delivered.iter();
            marks.map(|mark| (request.customer, *mark, request.at))
        });
        let delivered = of_requests
            .chain(tables.added_deliveries.iter().copied())
            .filter(|(of, mark, _)| *of == customer && marks.contains(mark));
        let mut seen = EarlierDeliveries::default();
        for (_, _, at) in delivered {
            seen.times += 1;
            seen.first = Some(seen.first.map_or(at, |first| first.min(at)));
        }
        Ok(seen)
    }

    async fn add_deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
        at: DateTime<Utc>,
    ) -> Result<()> {
        self.called("add_deliveries").await?;
        let added = marks.iter().map(|mark| (customer, *mark, at));
        self.tables().added_deliveries.extend(added);
        Ok(())
    }
}
