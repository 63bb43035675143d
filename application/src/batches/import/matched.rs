//! Proofs with the rows that they are delivered to.

use std::collections::HashMap;

use bytes::Bytes;
use domain::batches::RowNumber;
use domain::proofs::OriginalChain;
use domain::proofs::seen::{EarlierDeliveries, ProofMark};
use domain::query::ProofQuery;
use domain::seals::CheckedSeal;
use domain::transfer::Transfer;
use ports::outbound::StoredLookup;

/// A row for which a proof was found.
pub(super) struct Candidate {
    pub(super) row: RowNumber,
    pub(super) query: ProofQuery,
    pub(super) transfer: Transfer,
    pub(super) lookup: Option<StoredLookup>,
}

/// A proof with the row that it is delivered to.
pub(super) struct Matched {
    /// Index of the proof's file.
    pub(super) file: usize,
    pub(super) xml: Bytes,
    pub(super) chain: OriginalChain,
    pub(super) seal: CheckedSeal,
    /// Marks of the proof; only the first is recorded.
    pub(super) marks: Vec<ProofMark>,
    /// Earlier deliveries of the proof; `None` if they couldn't be read.
    pub(super) seen: Option<EarlierDeliveries>,
    /// The PDF of the proof, with the index of its file.
    pub(super) pdf: Option<(usize, Bytes)>,
    pub(super) candidate: Candidate,
}

/// Removes proofs with the same mark as that of another row, which differ only in fields that aren't sealed,
/// and returns their files with that row: one payment must not answer two rows. `rows` contains the marks of
/// delivered proofs.
pub(super) fn repeated(
    matched: &mut Vec<Matched>,
    mut rows: HashMap<ProofMark, RowNumber>,
) -> Vec<(usize, RowNumber)> {
    let mut repeated = Vec::new();
    matched.retain(|proof| {
        let row = proof.candidate.row;
        let mark = proof.marks.first();
        let first = mark.map_or(row, |mark| *rows.entry(*mark).or_insert(row));
        if first != row {
            repeated.push((proof.file, first));
        }
        first == row
    });
    repeated
}
