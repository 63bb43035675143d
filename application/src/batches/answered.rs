//! Rows of results that are sent again, and that are answered already.

use std::collections::{HashMap, HashSet};

use domain::batches::sheet::PassedOver;
use domain::keys::Environment;
use domain::lookups::LookupState;
use domain::participants::Catalogue;
use domain::participants::inference;
use domain::people::customer::CustomerId;
use domain::query::ProofQuery;
use domain::seals::SealVerdict;
use domain::transfer::Transfer;
use ports::outbound::StoredLookup;

use super::caller::store_failed;
use super::error::BatchError;
use super::service::BatchService;
use super::types::BatchDraft;

/// Lookups that are read at once.
const AT_ONCE: usize = 100;

impl BatchService {
    /// Passes over the rows whose payment a lookup, which one of the rows names, asked of the same bank, and that needs
    /// no other answer. The customer's stored lookups tell it: a file proves nothing, and is believed on request alone,
    /// and only of lookups that aren't stored any more.
    pub(super) async fn pass_over_answered(
        &self,
        customer: CustomerId,
        environment: Environment,
        draft: &mut BatchDraft,
    ) -> Result<(), BatchError> {
        let ids: Vec<_> = draft.rows.iter().filter_map(|row| row.lookup).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let lookups = &self.sources.lookups;
        let catalogue = lookups.reader.catalogue();
        let (mut asked, mut stored) = (HashMap::new(), HashSet::new());
        for ids in ids.chunks(AT_ONCE) {
            let found = lookups.of_ids(customer, ids).await;
            for lookup in found.map_err(store_failed)? {
                stored.insert(lookup.facts.id);
                if lookup.facts.environment == environment && is_answered(&lookup) {
                    // One that can't be decrypted is asked again.
                    let question = lookups.reader.question(&lookup).ok();
                    let transfer = question.and_then(|query| transfer(query, &catalogue));
                    asked.extend(transfer.map(|transfer| (transfer, false)));
                }
            }
        }
        let (passed_over, skips_answered) = (&mut draft.passed_over, draft.skips_answered);
        draft.rows.retain(|row| {
            let query = row.query.as_ref().ok();
            let destinations = query.into_iter().flat_map(|query| {
                let of_one = |it| query.with_destinations(it, Vec::new());
                query.destinations().into_iter().map(of_one)
            });
            // Own accounts complete the row as a lookup does, which moves the account that it found to the first place.
            let transfer = destinations
                .filter_map(|query| transfer(query, &catalogue))
                .find(|transfer| asked.contains_key(transfer));
            let is_erased = row.lookup.is_some_and(|id| !stored.contains(&id));
            let is_told = transfer.and_then(|transfer| asked.get_mut(&transfer));
            let reason = match is_told.map(|is_told| std::mem::replace(is_told, true)) {
                Some(true) => PassedOver::AnsweredBefore,
                Some(false) => PassedOver::Answered,
                None if skips_answered && row.is_called_answered && is_erased => {
                    PassedOver::CalledAnswered
                }
                None => return true,
            };
            passed_over.push((row.line.into(), reason));
            false
        });
        Ok(())
    }
}

/// Returns `true` for a lookup whose proof was delivered with a valid seal, and for one of a payment of which the bank
/// will issue none.
fn is_answered(lookup: &StoredLookup) -> bool {
    match lookup.state {
        LookupState::Delivered => lookup.seal == Some(SealVerdict::Valid),
        state => {
            let last = lookup.last_attempt;
            state.is_final() && last.is_some_and(|last| last.outcome.rules_out_proof())
        }
    }
}

fn transfer(query: ProofQuery, catalogue: &Catalogue) -> Option<Transfer> {
    inference::resolve(query, catalogue).transfer.ok()
}
