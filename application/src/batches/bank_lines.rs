//! Open rows of a batch, in the format of the bank's own batches.

use super::error::BatchError;
use domain::batches::bank_file::BankLine;
use domain::lookups::LookupState;
use domain::participants::inference::{self, Resolution};
use ports::outbound::StoredLookup;

use super::content::RowKind;
use super::rows::BatchRows;

impl BatchRows {
    /// Lines of the open rows, from the next row on.
    pub(super) async fn bank_lines(&mut self) -> Result<Vec<BankLine>, BatchError> {
        let mut lines = Vec::new();
        let untried = self.untried;
        while let Some(rows) = self.next_chunk().await? {
            let catalogue = self.lookups.reader.catalogue();
            let rows = rows.into_iter();
            let open = rows.filter(|(row, _, lookup)| match lookup {
                Some(lookup) => is_open(lookup),
                // Rows before `untried` had a lookup, which was erased.
                None => *row >= untried,
            });
            for (_, stored, _) in open {
                let RowKind::Ready(query) = stored.kind else {
                    continue;
                };
                let Resolution { transfer, .. } = inference::resolve(query, &catalogue);
                // Neither a reference number nor a tracking key with a comma can be written in the bank's format.
                lines.extend(transfer.ok().and_then(|it| BankLine::of_transfer(&it).ok()));
            }
        }
        Ok(lines)
    }
}

/// Returns `true` if a lookup has no proof but may still get one.
fn is_open(lookup: &StoredLookup) -> bool {
    use LookupState::{Canceled, Delivered};
    let last = lookup.last_attempt;
    !matches!(lookup.state, Canceled | Delivered)
        && !last.is_some_and(|last| last.outcome.rules_out_proof())
}
