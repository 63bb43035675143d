//! Columns of a table.

use std::fmt;

use crate::query::Field;

/// A column of a table of payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// The date of the transfer.
    Date,
    /// Its tracking key.
    TrackingKey,
    /// The beneficiary's account.
    Account,
    /// The amount.
    Amount,
    /// The issuing bank.
    Issuer,
    /// The receiving bank.
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

    /// The field of a request that the column holds; `None` for the caller's id.
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

    /// The column that holds a field; `None` for a field that tables don't have.
    pub fn of_field(field: Field) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|column| column.field() == Some(field))
    }

    /// The column's name in the API: that of its field, or `id`.
    pub fn name(self) -> &'static str {
        self.field().map_or("id", Field::name)
    }

    /// Parses a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Most headers that an error repeats.
pub(super) const MAX_FOUND: usize = 40;

/// Most columns of a table that an answer lists. A row of separators alone has tens of thousands.
const MAX_LISTED: usize = 100;

/// A column of a table as it was recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetColumn {
    /// Its number, from 1.
    pub number: usize,
    /// Its header, cut to a bounded length; empty in a table without headers.
    pub header: String,
    /// Its value in the first row of a table without headers, cut to a bounded length.
    pub sample: Option<String>,
    /// Its meaning; `None` if it is ignored.
    pub column: Option<Column>,
}

/// A bounded number of columns: those with a meaning, and the first of the others.
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

/// The headers of columns, as an error repeats them: those that aren't empty, in a bounded number.
pub fn headers_of(columns: &[SheetColumn]) -> Vec<&str> {
    let headers = columns.iter().map(|place| &*place.header);
    headers
        .filter(|header| !header.is_empty())
        .take(MAX_FOUND)
        .collect()
}
