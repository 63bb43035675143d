//! Finds rows of a batch with the same query.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sha2::{Digest as _, Sha256};

use crate::participants::ParticipantCode;
use crate::query::ProofQuery;

/// Digests of the queries of the rows so far. Memory is limited by the maximum number of stored
/// digests, about 60 bytes each.
#[derive(Clone, Debug)]
pub struct Duplicates {
    first: HashMap<[u8; 32], u64>,
    most: usize,
}

impl Duplicates {
    /// Stores up to `most` different queries; later ones are compared but not stored.
    pub fn of_at_most(most: usize) -> Self {
        Self {
            first: HashMap::new(),
            most,
        }
    }

    /// Returns the first row with the same query: the same date, tracking key or reference number, account, amount and
    /// institutions, as far as they are given. `row` is the current row's number, in any numbering.
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

/// A digest of the query. No value contains the separator, a line feed.
fn digest(query: &ProofQuery) -> [u8; 32] {
    let code = |code: Option<ParticipantCode>| code.map_or(0, ParticipantCode::number);
    let ProofQuery {
        date,
        criterion,
        account,
        others: _,
        completion: _,
        amount,
        issuer,
        receiver,
    } = query;
    let text = format!(
        "{date}\n{}\n{criterion}\n{}\n{}\n{}\n{}",
        criterion.reference().is_some(),
        account.as_str(),
        amount.centavos(),
        code(*issuer),
        code(*receiver),
    );
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::sheet::{ColumnMapping, RowRules, Sheet};
    use crate::fixture::day;
    use crate::participants::Catalogue;

    /// Queries of a table, one per row.
    fn queries(rows: &[&str]) -> Vec<ProofQuery> {
        let text = format!("fecha;rastreo;cuenta;monto;emisor\n{}", rows.join("\n"));
        let sheet = Sheet::open(text.as_bytes(), &ColumnMapping::default()).unwrap();
        let rules = RowRules {
            today: day("2026-11-24"),
            catalogue: Catalogue::embedded(),
            own_accounts: &[],
        };
        sheet.rows(rules).map(|row| row.query.unwrap()).collect()
    }

    #[test]
    fn the_first_row_of_a_question_is_told_whatever_its_spelling() {
        let queries = queries(&[
            "2026-11-20;KEY;002010077777777771;1234.5;",
            "2026-11-20;KEY;002010077777777771;1234.51;",
            "20/11/2026; KEY ;002-010-07777777777-1;$1,234.50;",
            "2026-11-20;KEY;002010077777777771;1234.5;40012",
            "2026-11-20;key;002010077777777771;1234.5;",
            "2026-11-20;KEY;002010077777777771;1.234,50;",
        ]);
        let mut duplicates = Duplicates::of_at_most(10_000);
        let first = (1..)
            .zip(&queries)
            .map(|(row, query)| duplicates.first(row, query));
        assert!(first.eq([None, None, Some(1), None, None, Some(1)]));
    }

    #[test]
    fn a_key_of_the_digits_of_a_reference_number_is_another_question() {
        let by_key = &queries(&["2026-11-20;1234567;002010077777777771;1.00;"])[0];
        let by_reference = ProofQuery {
            criterion: crate::criterion::ReferenceNumber::parse("1234567")
                .unwrap()
                .into(),
            ..by_key.clone()
        };
        let mut duplicates = Duplicates::of_at_most(10);
        let first = [by_key, &by_reference, &by_reference].map(|it| duplicates.first(1, it));
        assert_eq!(first, [None, None, Some(1)]);
    }

    #[test]
    fn only_so_many_questions_are_remembered() {
        let rows = ["1", "2", "3"].map(|amount| format!("2026-11-20;KEY;5512345678;{amount};"));
        let queries = queries(&rows.each_ref().map(|row| &**row));
        let mut duplicates = Duplicates::of_at_most(2);
        for (row, query) in (1..).zip(&queries) {
            assert_eq!(duplicates.first(row, query), None);
        }
        let again = queries.iter().map(|query| duplicates.first(9, query));
        assert_eq!(again.collect::<Vec<_>>(), [Some(1), Some(2), None]);
    }
}
