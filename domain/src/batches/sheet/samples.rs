//! Sample values of the columns of a table.

use super::cell::without_guard;
use super::mapping::cut;
use super::rows::Rows;

/// Maximum number of values of a column.
const MAX_SAMPLES: usize = 3;
/// Number of leading rows in which values are searched: a column may be blank in many of them.
const SEARCHED: usize = 20;

/// The first values of each of the first `columns` columns that aren't blank, each shortened to a maximum length.
pub(super) fn of(rows: &Rows<'_>, columns: usize) -> Vec<Vec<String>> {
    let mut samples = vec![Vec::new(); columns];
    let mut rows = rows.clone();
    let rows = std::iter::from_fn(|| rows.next()).take(SEARCHED);
    for cells in rows.filter_map(|row| row.cells.ok()) {
        for (samples, cell) in samples.iter_mut().zip(&cells) {
            let value = without_guard(cell.trim());
            if !value.is_empty() && samples.len() < MAX_SAMPLES {
                samples.push(cut(value));
            }
        }
    }
    samples
}
