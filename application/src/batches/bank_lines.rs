//! Open rows of a batch, as lines for the bank's own batch.

use super::error::BatchError;
use domain::batch::bank_file::BankLine;
use domain::inference::{self, Resolution};
use domain::lookup::LookupState;
use ports::outbound::StoredLookup;

use super::content::RowKind;
use super::rows::BatchRows;

impl BatchRows {
    /// The lines of the rows that are open, from the next row on.
    pub(super) async fn bank_lines(&mut self) -> Result<Vec<BankLine>, BatchError> {
        let mut lines = Vec::new();
        let untried = self.untried;
        while let Some(rows) = self.next_chunk().await? {
            let catalogue = self.lookups.reader.catalogue();
            let rows = rows.into_iter();
            let open = rows.filter(|(row, _, lookup)| match lookup {
                Some(lookup) => is_open(lookup),
                // Before it, one was erased.
                None => *row >= untried,
            });
            for (_, stored, _) in open {
                let RowKind::Ready(query) = stored.kind else {
                    continue;
                };
                let Resolution { transfer, .. } = inference::resolve(query, &catalogue);
                // A tracking key with a comma can't stand in the bank's file.
                lines.extend(transfer.ok().and_then(|it| BankLine::of_transfer(&it).ok()));
            }
        }
        Ok(lines)
    }
}

/// Returns `true` for a row whose lookup has no proof, and may get one.
fn is_open(lookup: &StoredLookup) -> bool {
    use LookupState::{Canceled, Delivered};
    let last = lookup.last_attempt;
    !matches!(lookup.state, Canceled | Delivered)
        && !last.is_some_and(|last| last.outcome.rules_out_proof())
}
