//! Detects tracking keys in a column that isn't assigned to them.

use crate::participants::inference;
use crate::tracking_key::TrackingKey;

use super::cell::without_guard;
use super::column::{Column, SheetColumn};
use super::open::Sheet;

/// Number of rows that are examined.
const SAMPLE: usize = 50;

impl Sheet<'_> {
    /// The column in which most values have the shape of a tracking key, if the column assigned to
    /// tracking keys has no such value. Only unassigned columns and that of the caller's id are
    /// considered.
    pub fn misplaced_tracking_keys(&self) -> Option<&SheetColumn> {
        let mut rows = 0;
        let mut keys = vec![0_usize; self.layout().len()];
        for cells in self.cells().take(SAMPLE) {
            rows += 1;
            for (count, cell) in keys.iter_mut().zip(&cells) {
                let key = TrackingKey::parse(without_guard(cell.trim())).ok();
                *count += usize::from(key.is_some_and(|key| inference::has_known_shape(&key)));
            }
        }
        let counted = || self.layout().iter().zip(keys.iter().copied()).enumerate();
        let is_key = |column: Option<Column>| column == Some(Column::TrackingKey);
        if counted().any(|(_, (column, keys))| is_key(*column) && keys > 0) {
            return None;
        }
        let (index, (_, most)) = counted()
            .filter(|(_, (column, _))| matches!(column, None | Some(Column::Id)))
            .max_by_key(|(_, (_, keys))| *keys)?;
        let holds_keys = most > rows / 2;
        let mut columns = self.columns().iter();
        columns.find(|column| holds_keys && column.number == index + 1)
    }
}
