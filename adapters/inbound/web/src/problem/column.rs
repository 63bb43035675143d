//! Columns of a table, as `details` and batches show them.

use domain::batches::sheet::{Column, SheetColumn};
use serde::Serialize;
use utoipa::ToSchema;

use super::catalogue::catalogue;

catalogue! {
    /// Sign that a column's content doesn't match its header.
    pub enum TableNotice -> &'static str {
        /// Another column holds the tracking keys. `header` is empty in a table without headers.
        TrackingKeysElsewhere { number: usize, header: String }
            = "tracking_keys_elsewhere",
            "notice-tracking-keys-elsewhere"(
                number: number,
                header: header,
            );
    }
}

/// A column of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableColumn {
    /// Its number, from 1 on.
    number: usize,
    /// Its header; empty in a table without headers.
    header: String,
    /// Its first values that aren't blank, each of at most 100 characters; fewer than three if the first rows have no
    /// more.
    #[schema(max_items = 3)]
    samples: Vec<String>,
    /// The field that it holds; null when it isn't read.
    #[schema(required)]
    field: Option<&'static str>,
}

impl TableColumn {
    pub fn new(column: &SheetColumn) -> Self {
        Self {
            number: column.number,
            header: column.header.clone(),
            samples: column.samples.clone(),
            field: column.column.map(Column::name),
        }
    }
}

/// Number of the first column with a header that no field is read from; 1 without any.
pub(super) fn unread_number(columns: &[SheetColumn]) -> usize {
    let mut columns = columns.iter();
    let unread = columns.find(|column| column.column.is_none() && !column.header.is_empty());
    unread.map_or(1, |column| column.number)
}

/// Number of the first column with the first of these headers; 1 without any.
pub(super) fn number_of(columns: &[SheetColumn], headers: &[String]) -> usize {
    let mut columns = columns.iter();
    let named = columns.find(|column| headers.first() == Some(&column.header));
    named.map_or(1, |column| column.number)
}
