//! Rows of a batch that ask the same question.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sha2::{Digest as _, Sha256};

use crate::participant::ParticipantCode;
use crate::query::ProofQuery;

/// The questions of the rows so far, as digests: memory is bounded by the number of rows that may be
/// remembered, about 60 bytes each.
#[derive(Clone, Debug)]
pub struct Duplicates {
    first: HashMap<[u8; 32], u64>,
    most: usize,
}

impl Duplicates {
    /// Remembers up to `most` different questions; those after them are compared, and not remembered.
    pub fn of_at_most(most: usize) -> Self {
        Self {
            first: HashMap::new(),
            most,
        }
    }

    /// Returns the row that asked the same question first: the same date, tracking key, account, amount and
    /// institutions, as far as they are given. `row` is the row's place, in any count that the caller
    /// keeps.
    pub fn first(&mut self, row: u64, query: &ProofQuery) -> Option<u64> {
        let is_full = self.first.len() >= self.most;
        match self.first.entry(digest(query)) {
            Entry::Occupied(first) => Some(*first.get()),
            Entry::Vacant(place) => {
                if !is_full {
                    place.insert(row);
                }
                None
            }
        }
    }
}

/// A digest of the question. No value holds the character that ends it.
fn digest(query: &ProofQuery) -> [u8; 32] {
    let code = |code: Option<ParticipantCode>| code.map_or(0, ParticipantCode::number);
    let ProofQuery {
        date,
        tracking_key,
        account,
        amount,
        issuer,
        receiver,
    } = query;
    let text = format!(
        "{date}\n{tracking_key}\n{}\n{}\n{}\n{}",
        account.as_str(),
        amount.centavos(),
        code(*issuer),
        code(*receiver),
    );
    Sha256::digest(text).into()
}
