//! Rows of results that are sent again, and that are answered already.

use std::collections::HashSet;

use domain::keys::Environment;
use domain::lookups::LookupState;
use domain::outcome::Outcome;
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
use super::types::DraftRow;

/// Lookups that are read at once.
const AT_ONCE: usize = 100;

impl BatchService {
    /// Removes the rows whose payment a lookup, which one of the rows names, asked of the same bank, and that needs no
    /// other answer; and returns their lines. The customer's stored lookups tell it: a file proves nothing.
    pub(super) async fn remove_answered(
        &self,
        customer: CustomerId,
        environment: Environment,
        rows: &mut Vec<DraftRow>,
    ) -> Result<Vec<u32>, BatchError> {
        let ids: Vec<_> = rows.iter().filter_map(|row| row.lookup).collect();
        let lookups = &self.sources.lookups;
        let catalogue = lookups.reader.catalogue();
        let mut asked = HashSet::new();
        for ids in ids.chunks(AT_ONCE) {
            let found = lookups.of_ids(customer, ids).await;
            let found = found.map_err(store_failed)?.into_iter();
            let answered =
                found.filter(|it| it.facts.environment == environment && is_answered(it));
            // One that can't be decrypted is asked again.
            let questions = answered.filter_map(|it| lookups.reader.question(&it).ok());
            asked.extend(questions.filter_map(|query| transfer(query, &catalogue)));
        }
        let mut lines = Vec::new();
        if !asked.is_empty() {
            rows.retain(|row| {
                let query = row.query.as_ref().ok().cloned();
                let transfer = query.and_then(|query| transfer(query, &catalogue));
                let is_answered = transfer.is_some_and(|transfer| asked.contains(&transfer));
                lines.extend(is_answered.then_some(row.line));
                !is_answered
            });
        }
        Ok(lines)
    }
}

/// Returns `true` for a lookup whose proof was delivered with a valid seal, and for one of a payment of which the bank
/// will issue none.
fn is_answered(lookup: &StoredLookup) -> bool {
    let last = lookup.last_attempt.map(|attempt| attempt.outcome);
    match lookup.state {
        LookupState::Delivered => lookup.seal == Some(SealVerdict::Valid),
        LookupState::NotFound => matches!(
            last,
            Some(Outcome::PaymentReturned | Outcome::PaymentRejected | Outcome::PaymentCanceled)
        ),
        _ => false,
    }
}

fn transfer(query: ProofQuery, catalogue: &Catalogue) -> Option<Transfer> {
    inference::resolve(query, catalogue).transfer.ok()
}
