//! Charging of rows, and storing of their lookups.

use std::sync::Arc;

use domain::batches::RowNumber;
use domain::keys::{CountedKey, KeyId};
use domain::lookups::LookupId;
use domain::outcome::Endpoint;
use domain::query::ProofQuery;
use futures::future::join_all;
use ports::Cause;
use ports::outbound::{BatchFacts, BatchFeed, Charge, FeedCharge, Lease, new_id};

use super::content::BatchContent;
use super::feeder::FeederParts;
use super::row_lookup::row_lookup;
use crate::admission::{ChargedRequest, NotCharged, UnattendedCharge};
use crate::metrics;

impl FeederParts {
    /// Charges up to `most` requests; returns the charges, and the reason if there are fewer.
    pub(super) async fn charge(
        &self,
        key: CountedKey,
        most: usize,
    ) -> (Vec<UnattendedCharge>, Option<NotCharged>) {
        let mut charges = Vec::with_capacity(most);
        let mut refusal = None;
        let gatekeeper = &self.gatekeeper;
        // Concurrently, because a shared limiter combines them into one call.
        let requests = (0..most).map(|_| gatekeeper.charge_unattended(key));
        for charged in join_all(requests).await {
            match charged {
                Ok(charge) => charges.push(charge),
                Err(error) => refusal = Some(error),
            }
        }
        (charges, refusal)
    }

    /// Stores the lookups of charged rows; refunds the charges if that fails. Returns `false` if the lease is
    /// lost.
    pub(super) async fn store_rows(
        &self,
        (facts, content): (&BatchFacts, &BatchContent),
        (key, lease): (CountedKey, Lease),
        (rows, charges): (Vec<(RowNumber, ProofQuery)>, Vec<UnattendedCharge>),
        next_row: u32,
    ) -> Result<bool, Cause> {
        let now = self.clock.now();
        let (clock, random) = (self.clock.as_ref(), self.random.as_ref());
        let ids: Vec<_> = charges
            .iter()
            .map(|_| LookupId(new_id(clock, random)))
            .collect();
        let encryption = &self.lookups.reader.encryption;
        let numbered = rows.into_iter().zip(charges.iter().zip(&ids));
        let lookups = numbered.map(|(row, (charge, id))| {
            let about = (*id, key, charge.month, now);
            row_lookup(encryption, (facts, content), about, row)
        });
        let is_stored = match lookups.collect::<Result<_, _>>() {
            Ok(lookups) => {
                let feed = BatchFeed {
                    id: facts.id,
                    token: lease.token,
                    next_row,
                    lookups,
                    charge: to_store(key.id, &charges),
                    now,
                };
                let stored = self.store.feed_batch(&feed).await;
                stored.map_err(|error| Arc::new(error) as Cause)
            }
            Err(cause) => Err(cause),
        };
        if matches!(is_stored, Ok(true)) {
            metrics::lookups_created(ids.len());
            self.signals.work();
            return is_stored;
        }
        for (LookupId(id), UnattendedCharge { month, charge }) in ids.into_iter().zip(charges) {
            let request = ChargedRequest {
                id,
                request_id: facts.request_id.clone(),
                key,
                customer: facts.customer,
                admitted_at: now,
                month,
                endpoint: Endpoint::Batches,
            };
            let gatekeeper = &self.gatekeeper;
            gatekeeper.undo_unattended(charge, request).await;
        }
        is_stored
    }
}

/// The charges that the store still has to count; `None` if there are none.
fn to_store(key: KeyId, charges: &[UnattendedCharge]) -> Option<FeedCharge> {
    let unwritten = charges
        .iter()
        .filter(|charge| charge.charge == Charge::Unwritten);
    let requests = u32::try_from(unwritten.count()).unwrap_or(u32::MAX);
    // At the end of a month a step may contain charges of two months; the store counts them all in the first.
    let month = charges.first()?.month;
    (requests > 0).then_some(FeedCharge {
        key,
        month,
        requests,
    })
}
