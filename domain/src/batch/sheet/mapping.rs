//! A caller's own assignment of columns.

use super::column::Column;

/// Longest text of a mapping that is repeated in an error, in characters.
const MAX_REPEATED: usize = 100;

/// Headers or numbers of columns, as a caller assigns them. Columns that it doesn't name are recognised,
/// unless their field is assigned to none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnMapping(Vec<(Column, Source)>);

/// Place of a column in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Its number, from 1.
    Number(usize),
    /// Its header.
    Header(String),
    /// In no column, whatever the headers say.
    Nowhere,
}

/// Reason why a mapping is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// A part that isn't `field:header`.
    #[error("{part:?} is not of the form field:header, for example monto:Importe or monto:5")]
    Malformed {
        /// The part, cut to a bounded length.
        part: String,
    },
    /// A field that tables don't have.
    #[error("{name:?} is no field; they are {}", Column::ALL.map(Column::name).join(", "))]
    UnknownField {
        /// Its name, cut to a bounded length.
        name: String,
    },
    /// A field that is assigned twice.
    #[error("{column} is assigned more than once")]
    Repeated {
        /// The field.
        column: Column,
    },
    /// A header that the table doesn't have.
    #[error("no column has the header {header:?} that {column} is assigned")]
    NoSuchHeader {
        /// The field.
        column: Column,
        /// The header, cut to a bounded length.
        header: String,
    },
    /// A header that several columns have.
    #[error(
        "several columns have the header {header:?} that {column} is assigned; give its number"
    )]
    AmbiguousHeader {
        /// The field.
        column: Column,
        /// The header, cut to a bounded length.
        header: String,
    },
    /// A number beyond the last column.
    #[error("{column} is assigned column {number} of {columns}")]
    NoSuchNumber {
        /// The field.
        column: Column,
        /// The number, from 1.
        number: usize,
        /// Number of columns.
        columns: usize,
    },
    /// Two fields that share a column.
    #[error("{first} and {second} are assigned the same column")]
    Shared {
        /// A field.
        first: Column,
        /// The other one.
        second: Column,
    },
}

impl ColumnMapping {
    /// Reads `field:header,field:number,…`. A header that holds a comma is given by its number. The number 0
    /// leaves a field out that isn't required.
    ///
    /// # Errors
    /// See [`MappingError`].
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        let parts = text.split(',').filter(|part| !part.trim().is_empty());
        let pairs: Result<Vec<_>, _> = parts
            .map(|part| {
                part.split_once(':').ok_or_else(|| MappingError::Malformed {
                    part: cut(part.trim()),
                })
            })
            .collect();
        Self::of_pairs(pairs?)
    }

    /// Reads pairs of a field's name and a header or number.
    ///
    /// # Errors
    /// See [`MappingError`].
    pub fn of_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, MappingError> {
        let mut mapping = Vec::<(Column, Source)>::new();
        for (name, source) in pairs {
            let (name, source) = (name.trim(), source.trim());
            let column = Column::from_name(name)
                .ok_or_else(|| MappingError::UnknownField { name: cut(name) })?;
            if mapping.iter().any(|(known, _)| *known == column) {
                return Err(MappingError::Repeated { column });
            }
            if source.is_empty() {
                let part = cut(name) + ":";
                return Err(MappingError::Malformed { part });
            }
            let is_number = source.bytes().all(|byte| byte.is_ascii_digit());
            let source = if is_number {
                // Too many digits for a number are beyond any table, too.
                match source.parse().unwrap_or(usize::MAX) {
                    0 if !Column::REQUIRED.contains(&column) => Source::Nowhere,
                    number => Source::Number(number),
                }
            } else {
                Source::Header(source.to_owned())
            };
            mapping.push((column, source));
        }
        Ok(Self(mapping))
    }

    pub(super) fn sources(&self) -> &[(Column, Source)] {
        &self.0
    }

    /// Returns `true` if every required column is given by its number.
    pub(super) fn needs_no_header(&self) -> bool {
        Column::REQUIRED
            .iter()
            .all(|column| self.number(*column).is_some())
    }

    /// The number that a column is assigned, from 1.
    pub(super) fn number(&self, column: Column) -> Option<usize> {
        self.0.iter().find_map(|(known, source)| match source {
            Source::Number(number) if *known == column => Some(*number),
            _ => None,
        })
    }
}

/// A text as an error repeats it.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(MAX_REPEATED).collect()
}
