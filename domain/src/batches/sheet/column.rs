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
    /// Reference number of the transfer, used in a row without a tracking key.
    Reference,
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
    /// A text from which tracking key and account are taken, as the concept of a bank statement.
    Text,
    /// Money that left the account, in a bank statement.
    Charge,
    /// Money that came in, in a bank statement.
    Credit,
    /// State of the row in the results of a batch.
    State,
    /// Verdict on the seal in the results of a batch.
    Seal,
    /// Id of the lookup in the results of a batch.
    Lookup,
}

impl Column {
    /// The columns of a payment, in the order of the API.
    pub const ALL: [Self; 8] = [
        Self::Date,
        Self::TrackingKey,
        Self::Reference,
        Self::Account,
        Self::Amount,
        Self::Issuer,
        Self::Receiver,
        Self::Id,
    ];

    /// Columns from which a bank statement tells what its others lack.
    pub const OF_STATEMENTS: [Self; 3] = [Self::Text, Self::Charge, Self::Credit];

    /// Columns by which the results of a batch tell what was answered.
    pub(super) const OF_RESULTS: [Self; 3] = [Self::State, Self::Seal, Self::Lookup];

    /// Columns that a table must have, or tell by others.
    pub const REQUIRED: [Self; 4] = [Self::Date, Self::TrackingKey, Self::Account, Self::Amount];

    /// Returns `true` for a column of the results of a batch.
    pub(super) fn is_of_results(self) -> bool {
        Self::OF_RESULTS.contains(&self)
    }

    /// The request field of the column; `None` for those that aren't sent to the bank.
    pub fn field(self) -> Option<Field> {
        match self {
            Self::Date => Some(Field::Date),
            Self::TrackingKey => Some(Field::TrackingKey),
            Self::Reference => Some(Field::Reference),
            Self::Account => Some(Field::Account),
            Self::Amount => Some(Field::Amount),
            Self::Issuer => Some(Field::Issuer),
            Self::Receiver => Some(Field::Receiver),
            Self::Id
            | Self::Text
            | Self::Charge
            | Self::Credit
            | Self::State
            | Self::Seal
            | Self::Lookup => None,
        }
    }

    /// The columns that tell this one if it isn't there.
    pub(super) fn alternatives(self) -> &'static [Self] {
        match self {
            Self::TrackingKey => &[Self::Text, Self::Reference],
            Self::Account => &[Self::Text],
            Self::Amount => &[Self::Charge, Self::Credit],
            _ => &[],
        }
    }

    /// The column of a request field; `None` if tables don't have the field.
    pub fn of_field(field: Field) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|column| column.field() == Some(field))
    }

    /// The column's name in the API: that of its field, if it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "texto",
            Self::Charge => "cargo",
            Self::Credit => "abono",
            Self::State => "estado_codigo",
            Self::Seal => "sello_codigo",
            Self::Lookup => "consulta",
            other => other.field().map_or("id", Field::name),
        }
    }

    /// Parses the name of a column that a caller may assign.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut columns = Self::ALL.into_iter().chain(Self::OF_STATEMENTS);
        columns.find(|column| column.name() == name)
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
    /// The first values that aren't blank, at most a fixed number, each shortened to a maximum length.
    pub samples: Vec<String>,
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
