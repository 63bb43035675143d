//! Columns that the results of a batch add to its table.

use super::column::Column;
use super::header;

/// Headers with which the columns that a workbook of results adds begin, in Spanish and in English.
pub const RESULTS_BEGIN: [&str; 2] = ["Resultado CEP", "CEP result"];
/// A header that results as CSV have, and tables of people don't: the id of the lookup.
const LOOKUP_ID: &str = "consulta";

/// The places of results in a table that was made of the results of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultPlaces {
    /// From this index on, in a workbook.
    From(usize),
    /// Anywhere between the columns of the API, in a CSV file.
    Between,
}

impl ResultPlaces {
    /// Recognises results by their headers. `None` for another table.
    pub(super) fn of(headers: &[impl AsRef<str>]) -> Option<Self> {
        let mut texts = headers.iter().map(AsRef::as_ref);
        let is_begin = |text: &str| RESULTS_BEGIN.iter().any(|it| header::are_alike(text, it));
        let is_named = |name: &str| headers.iter().any(|text| text.as_ref().trim() == name);
        let has_names_of_api = Column::REQUIRED
            .iter()
            .all(|column| is_named(column.name()));
        if let Some(begin) = texts.position(is_begin) {
            return Some(Self::From(begin));
        }
        (has_names_of_api && is_named(LOOKUP_ID)).then_some(Self::Between)
    }

    /// Returns `true` if a column that isn't used belongs to the results.
    pub(super) fn contain(self, index: usize) -> bool {
        match self {
            Self::From(begin) => index >= begin,
            Self::Between => true,
        }
    }
}
