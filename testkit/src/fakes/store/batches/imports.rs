//! Deliveries without a look-up.

use chrono::{DateTime, Utc};
use domain::batch::BatchId;
use domain::lookup::{LookupId, LookupState};
use ports::outbound::{ImportedProof, LookupFacts, RowLookup};

use crate::fakes::store::Tables;
use crate::fakes::store::lookups::KeptLookup;

impl Tables {
    /// Delivers a proof for a row; `None` if the row has one, or isn't as it was.
    pub(super) fn import(
        &mut self,
        batch: BatchId,
        imported: &ImportedProof,
        now: DateTime<Utc>,
    ) -> Option<LookupFacts> {
        let row = imported.row.facts.batch?.row;
        let present = self
            .rows_of(batch)
            .get(&row)
            .map(|kept| kept.stored.facts.id);
        match (present, &imported.existing) {
            (Some(id), Some((existing, proof))) if id == *existing => {
                self.deliver_existing(id, proof, now)
            }
            (None, None) => Some(self.deliver_new(&imported.row, &imported.proof, now)),
            _ => None,
        }
    }

    fn deliver_existing(
        &mut self,
        id: LookupId,
        proof: &[u8],
        now: DateTime<Utc>,
    ) -> Option<LookupFacts> {
        let kept = self.lookups.get_mut(&id)?;
        if matches!(
            kept.stored.state,
            LookupState::Delivered | LookupState::Canceled
        ) {
            return None;
        }
        let refunded = kept.is_untouched();
        kept.stored.proof = Some(proof.to_vec());
        kept.stored.finding = None;
        kept.end(LookupState::Delivered, now);
        let facts = kept.stored.facts.clone();
        if refunded {
            self.refund(&facts);
        }
        Some(facts)
    }

    fn deliver_new(&mut self, row: &RowLookup, proof: &[u8], now: DateTime<Utc>) -> LookupFacts {
        let mut kept = KeptLookup::queued(row.facts.clone(), row.question.clone());
        kept.stored.proof = Some(proof.to_vec());
        kept.end(LookupState::Delivered, now);
        self.lookups.insert(row.facts.id, kept);
        row.facts.clone()
    }
}
