//! Deliveries without a look-up.

use chrono::{DateTime, Utc};
use domain::batch::BatchId;
use domain::lookup::{LookupId, LookupState};
use domain::seal::SealVerdict;
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
    ) -> Option<(LookupFacts, SealVerdict)> {
        let (seal, row) = (imported.seal, imported.row.facts.batch?.row);
        let present = self
            .rows_of(batch)
            .get(&row)
            .map(|kept| kept.stored.facts.id);
        let facts = match (present, &imported.existing) {
            (Some(id), Some((existing, proof))) if id == *existing => {
                self.deliver_existing(id, (proof, seal), now)
            }
            (None, None) => Some(self.deliver_new(&imported.row, (&imported.proof, seal), now)),
            _ => None,
        };
        Some((facts?, seal))
    }

    fn deliver_existing(
        &mut self,
        id: LookupId,
        (proof, seal): (&[u8], SealVerdict),
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
        kept.deliver(proof, seal, now);
        let facts = kept.stored.facts.clone();
        if refunded {
            self.refund(&facts);
        }
        Some(facts)
    }

    fn deliver_new(
        &mut self,
        row: &RowLookup,
        (proof, seal): (&[u8], SealVerdict),
        now: DateTime<Utc>,
    ) -> LookupFacts {
        let mut kept = KeptLookup::queued(row.facts.clone(), row.question.clone());
        kept.deliver(proof, seal, now);
        self.lookups.insert(row.facts.id, kept);
        row.facts.clone()
    }
}
