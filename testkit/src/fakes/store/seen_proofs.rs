//! Delivered proofs.

use async_trait::async_trait;
use domain::customer::CustomerId;
use domain::seen::{EarlierDeliveries, ProofMark};
use ports::outbound::{SeenProofs, StoreError};

use super::MemoryStore;

#[async_trait]
impl SeenProofs for MemoryStore {
    async fn deliveries(
        &self,
        customer: CustomerId,
        marks: &[ProofMark],
    ) -> Result<EarlierDeliveries, StoreError> {
        self.called("deliveries").await?;
        let tables = self.tables();
        let requests = tables.requests.values();
        let delivered = requests
            .filter(|request| request.customer == customer)
            .flat_map(|request| request.delivered.iter().map(move |mark| (request, mark)))
            .filter(|(_, mark)| marks.contains(mark))
            .map(|(request, _)| request);
        Ok(
            delivered.fold(EarlierDeliveries::default(), |seen, request| {
                let first = seen.first.map_or(request.at, |first| first.min(request.at));
                EarlierDeliveries {
                    times: seen.times + 1,
                    first: Some(first),
                }
            }),
        )
    }
}
