//! Columns of a table.

use std::fmt;

use crate::query::Field;

/// A column of a table of payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// Date of the transfer.
    Date,
    /// Tracking key of the transfer.
    TrackingKey,
    /// The beneficiary's CLABE, card or phone number.
    Account,
    /// Amount in pesos.
    Amount,
    /// Code or name of the issuing institution.
    Issuer,
    /// Code or name of the receiving institution.
    Receiver,
    /// The caller's own id of the payment.
    Id,
}

impl Column {
    /// All columns, in the order of the API.
    pub const ALL: [Self; 7] = [
        Self::Date,
        Self::TrackingKey,
        Self::Account,
        Self::Amount,
        Self::Issuer,
        Self::Receiver,
        Self::Id,
    ];

    /// Columns that a table must have.
    pub const REQUIRED: [Self; 4] = [Self::Date, Self::TrackingKey, Self::Account, Self::Amount];

    /// The request field of the column; `None` for the caller's id.
    pub fn field(self) -> Option<Field> {
        match self {
            Self::Date => Some(Field::Date),
            Self::TrackingKey => Some(Field::TrackingKey),
            Self::Account => Some(Field::Account),
            Self::Amount => Some(Field::Amount),
            Self::Issuer => Some(Field::Issuer),
            Self::Receiver => Some(Field::Receiver),
            Self::Id => None,
        }
    }

    /// The column of a request field; `None` if tables don't have the field.
    pub fn of_field(field: Field) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|column| column.field() == Some(field))
    }

    /// The column's name in the API: that of its field, or `id`.
    pub fn name(self) -> &'static str {
        self.field().map_or("id", Field::name)
    }

    /// Parses a column's name in the API.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Maximum number of headers in an error.
pub(super) const MAX_FOUND: usize = 40;

/// Maximum number of columns in a response; a row of only separators may have tens of thousands.
const MAX_LISTED: usize = 100;

/// A recognised or ignored column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetColumn {
    /// Number of the column, from 1.
    pub number: usize,
    /// Header, shortened to a maximum length; empty in a table without headers.
    pub header: String,
    /// Value in the first row, shortened to a maximum length; `None` in a table with headers.
    pub sample: Option<String>,
    /// The recognised column; `None` if it is ignored.
    pub column: Option<Column>,
}

/// Limits the number of columns: all recognised ones, and the first of the others.
pub(super) fn listed(mut columns: Vec<SheetColumn>) -> Vec<SheetColumn> {
    let known = columns.iter().filter(|it| it.column.is_some()).count();
    let mut room = MAX_LISTED.saturating_sub(known);
    columns.retain(|it| {
        let is_other = it.column.is_none();
        let is_listed = !is_other || room > 0;
        room -= usize::from(is_other && is_listed);
        is_listed
    });
    columns
}

/// The headers that an error lists: the non-empty ones, up to a maximum number.
pub fn headers_of(columns: &[SheetColumn]) -> Vec<&str> {
    let headers = columns.iter().map(|place| &*place.header);
    headers
        .filter(|header| !header.is_empty())
        .take(MAX_FOUND)
        .collect()
}
