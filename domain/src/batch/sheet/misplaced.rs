//! Columns that hold tracking keys without being taken for them.

use crate::inference;
use crate::tracking_key::TrackingKey;

use super::cell::without_guard;
use super::column::{Column, SheetColumn};
use super::open::Sheet;

/// Rows that are looked at.
const SAMPLE: usize = 50;

impl Sheet<'_> {
    /// The column that holds tracking keys, by the shape of most of its values, in place of the one that is
    /// read as them, which has no such value.
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
