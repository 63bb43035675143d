//! Deliveries without a look-up.

use chrono::{DateTime, Utc};
use domain::batches::BatchId;
use domain::lookups::LookupState;
use ports::outbound::{ImportedProof, LookupFacts};

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
        let row = &imported.row;
        let place = row.facts.batch?.row;
        let rows = self.rows_of(batch);
        let present = rows.get(&place).map(|kept| kept.stored.facts.id);
        let proof = match (present, &imported.existing) {
            (Some(id), Some((existing, proof))) if id == *existing => proof,
            (None, None) => {
                let kept = KeptLookup::queued(row.facts.clone(), row.question.clone());
                self.lookups.insert(row.facts.id, kept);
                &imported.proof
            }
            _ => return None,
        };
        let kept = self.lookups.get_mut(&present.unwrap_or(row.facts.id))?;
        if matches!(
            kept.stored.state,
            LookupState::Delivered | LookupState::Canceled
        ) {
            return None;
        }
        let refunded = present.is_some() && kept.is_untouched();
        kept.deliver(proof, imported.seal, now);
        let facts = kept.stored.facts.clone();
        if refunded {
            self.refund(&facts);
        }
        Some(facts)
    }
}
