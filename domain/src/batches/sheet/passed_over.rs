//! Rows that ask for no payment.

use crate::variants::named_enum;

use super::column::Column;
use super::header;
use super::statement;

named_enum! {
    /// Reason why a row isn't looked up, and isn't a row of its batch.
    pub enum PassedOver {
        /// A total below the payments.
        Total,
        /// A movement of a bank statement whose text has nothing that could be a tracking key or an account, as a
        /// commission.
        NoPayment,
        /// A row of the results of a batch whose stored lookup needs no other answer.
        Answered,
        /// A row that asks the same as an earlier one that is answered.
        AnsweredBefore,
        /// A row of the results of a batch whose lookup isn't stored any more, and whose proof was delivered with a valid
        /// seal, as the file says.
        CalledAnswered,
    }
}

/// Rows that were passed over for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOverRows {
    /// The reason.
    pub reason: PassedOver,
    /// Number of the rows.
    pub rows: u32,
    /// Their lines in the file, from 1, of the first [`Self::MAX_LINES`].
    pub lines: Vec<u32>,
}

impl PassedOverRows {
    /// Maximum number of lines.
    pub const MAX_LINES: usize = 100;

    /// Groups rows by their reasons, in the order of [`PassedOver::ALL`].
    pub fn grouped(passed_over: &[(u64, PassedOver)]) -> Vec<Self> {
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let groups = PassedOver::ALL.into_iter().map(|wanted| {
            let lines = passed_over.iter().filter(|(_, reason)| *reason == wanted);
            let lines = lines.map(|(line, _)| number(*line));
            Self {
                reason: wanted,
                rows: number(lines.clone().count() as u64),
                lines: lines.take(Self::MAX_LINES).collect(),
            }
        });
        groups.filter(|group| group.rows > 0).collect()
    }
}

/// Words with which the label of a total begins.
const LABELS: [&str; 9] = [
    "total",
    "totales",
    "subtotal",
    "subtotales",
    "suma",
    "sumas",
    "sumatoria",
    "grantotal",
    "totals",
];
/// Maximum number of words of a label.
const MAX_WORDS: usize = 6;

/// Returns `true` for a row that has the label of a total, and neither date, tracking key nor account.
pub(super) fn is_total(cells: &[String], layout: &[Option<Column>]) -> bool {
    let Some(label) = cells.iter().position(|cell| !cell.trim().is_empty()) else {
        return false;
    };
    let words = header::words(&cells[label]);
    let begins = words.first().zip(words.get(1));
    let is_label = words.first().is_some_and(|word| LABELS.contains(&&**word))
        || begins.is_some_and(|(one, two)| LABELS.contains(&&*format!("{one}{two}")));
    let mut others = layout.iter().zip(cells).enumerate();
    let has_no_payment = others.all(|(place, (column, cell))| match column {
        Some(Column::Date | Column::TrackingKey | Column::Reference | Column::Account) => {
            place == label || cell.trim().is_empty()
        }
        _ => true,
    });
    is_label
        && !statement::may_hold_payment(&cells[label])
        && words.len() <= MAX_WORDS
        && has_no_payment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_by_reason_with_their_lines() {
        let passed_over = [
            (9, PassedOver::Total),
            (3, PassedOver::Answered),
            (4, PassedOver::Answered),
        ];
        let groups = PassedOverRows::grouped(&passed_over);
        let groups: Vec<_> = groups
            .iter()
            .map(|it| (it.reason, it.rows, &*it.lines))
            .collect();
        let expected: [(_, _, &[u32]); 2] = [
            (PassedOver::Total, 1, &[9]),
            (PassedOver::Answered, 2, &[3, 4]),
        ];
        assert_eq!(groups, expected);
    }
}
