//! A caller's table as it came, of which the results give back each column.

use chrono::NaiveDate;

use super::cell::without_guard;
use super::column::{Column, SheetColumn};
use super::layout;
use super::mapping::ColumnMapping;
use super::results::{RESULTS_BEGIN, ResultPlaces};
use super::rows::Rows;

/// Maximum number of columns that are kept.
const MAX_COLUMNS: usize = 100;
/// Maximum number of characters that are kept of a row.
const MAX_LENGTH: usize = 2_000;
/// Decimal digits that spreadsheets keep of a number.
const MAX_DIGITS: usize = 15;
/// Mark of a cell that was cut off.
const CUT: char = '…';

/// A column of a caller's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnColumn {
    /// Header, shortened to a maximum length; empty in a table without headers.
    pub header: String,
    /// The recognised column; `None` if it is ignored.
    pub column: Option<Column>,
}

impl OwnColumn {
    /// Returns `true` if these columns are recognised by their headers alone, in a table to which results are added.
    pub fn are_found_again(columns: &[Self]) -> bool {
        let headers = columns.iter().map(|own| &*own.header).chain(RESULTS_BEGIN);
        let headers: Vec<_> = headers.map(str::to_owned).collect();
        let found = layout::with_headers(&headers, &Rows::none(), &ColumnMapping::default());
        let found = found.ok().into_iter().flatten().map(|place| place.column);
        found
            .take(columns.len())
            .eq(columns.iter().map(|own| own.column))
            && !columns.is_empty()
    }

    /// The columns of a table with the names of the API alone.
    pub fn of_api() -> Vec<Self> {
        Column::ALL.into_iter().map(Self::of_field).collect()
    }

    pub(super) fn of_field(column: Column) -> Self {
        Self {
            header: column.name().to_owned(),
            column: Some(column),
        }
    }
}

/// The caller's own columns with their indexes: without those of results.
pub(super) fn own_columns(columns: &[SheetColumn]) -> Vec<(usize, OwnColumn)> {
    let headers: Vec<_> = columns.iter().map(|place| &*place.header).collect();
    let results = ResultPlaces::of(&headers);
    let own = columns.iter().enumerate().filter(|(index, place)| {
        let is_result = results.is_some_and(|places| places.contain(*index));
        let is_used = place.column.is_some_and(|column| !column.is_of_results());
        is_used || !is_result
    });
    let own = own.map(|(index, place)| {
        let header = place.header.clone();
        let column = place.column.filter(|column| !column.is_of_results());
        (index, OwnColumn { header, column })
    });
    own.take(MAX_COLUMNS).collect()
}

/// The cells at some indexes, each `true` if its column is used. Those beyond the maximum length of all of them are cut
/// off, and marked so; those of columns that are used come first.
pub(super) fn kept(cells: &[String], indexes: impl Iterator<Item = (usize, bool)>) -> Vec<String> {
    let indexes: Vec<_> = indexes.collect();
    let mut kept = vec![String::new(); indexes.len()];
    let mut room = MAX_LENGTH;
    for is_wanted in [true, false] {
        let wanted = indexes.iter().zip(&mut kept);
        for ((index, _), cell) in wanted.filter(|((_, is_used), _)| *is_used == is_wanted) {
            let text = cells.get(*index).map_or("", |cell| cell.trim());
            let mut chars = text.chars().filter(|it| !it.is_control());
            *cell = chars.by_ref().take(room).collect();
            room -= cell.chars().count();
            if chars.next().is_some() {
                cell.pop();
                cell.push(CUT);
            }
        }
    }
    while kept.last().is_some_and(String::is_empty) {
        kept.pop();
    }
    kept
}

/// A value of a cell that was kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnValue<'a> {
    /// Nothing.
    Empty,
    /// A text, without the mark that makes spreadsheets treat a number as text.
    Text(&'a str),
    /// A number of at most as many digits as spreadsheets keep.
    Number(f64),
    /// A date.
    Date(NaiveDate),
}

impl<'a> OwnValue<'a> {
    /// The value that a spreadsheet shows for a kept cell.
    pub fn of(cell: &'a str) -> Self {
        let text = cell.trim();
        let bare = without_guard(text);
        if text.is_empty() {
            Self::Empty
        } else if bare != text {
            Self::Text(bare)
        } else if let Some(number) = number(text) {
            Self::Number(number)
        } else {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
            let date = date.filter(|date| date.to_string() == text);
            date.map_or(Self::Text(text), Self::Date)
        }
    }
}

/// The number of a text in the form in which programs write one; `None` if it has leading zeros, which a number
/// would lose, or more digits than spreadsheets keep.
fn number(text: &str) -> Option<f64> {
    let positive = text.strip_prefix('-').unwrap_or(text);
    let (integer, fraction) = positive.split_once('.').unwrap_or((positive, "0"));
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let keeps_digits = integer == "0" || !integer.starts_with('0');
    let is_number = is_digits(integer) && is_digits(fraction) && keeps_digits;
    let fits = integer.len() + fraction.len() <= MAX_DIGITS;
    (is_number && fits).then(|| text.parse().ok()).flatten()
}
