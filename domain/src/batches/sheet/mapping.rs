//! A caller's explicit assignment of columns to fields.

use super::column::Column;

/// Maximum length, in characters, of a mapping's text that an error repeats.
const MAX_REPEATED: usize = 100;

/// A caller's assignment of headers or column numbers to fields. Fields that aren't assigned are
/// recognised by their headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnMapping(Vec<(Column, Source)>);

/// Location of a field in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Number of the column, from 1.
    Number(usize),
    /// Header of the column.
    Header(String),
    /// In no column, even if a header matches.
    Nowhere,
}

/// Reason why a mapping is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// A part isn't of the form `field:header`.
    #[error("{part:?} is not of the form field:header, for example monto:Importe or monto:5")]
    Malformed {
        /// The part, shortened to a maximum length.
        part: String,
    },
    /// The field doesn't exist.
    #[error("{name:?} is no field; they are {}", Column::ALL.map(Column::name).join(", "))]
    UnknownField {
        /// The given name, shortened to a maximum length.
        name: String,
    },
    /// A field is assigned twice.
    #[error("{column} is assigned more than once")]
    Repeated {
        /// The field that the assignment is about.
        column: Column,
    },
    /// The table doesn't have the header.
    #[error("no column has the header {header:?} that {column} is assigned")]
    NoSuchHeader {
        /// The field that the assignment is about.
        column: Column,
        /// The assigned header, shortened to a maximum length.
        header: String,
    },
    /// Several columns have the header.
    #[error(
        "several columns have the header {header:?} that {column} is assigned; give its number"
    )]
    AmbiguousHeader {
        /// The field that the assignment is about.
        column: Column,
        /// The assigned header, shortened to a maximum length.
        header: String,
    },
    /// The number is greater than that of the last column.
    #[error("{column} is assigned column {number} of {columns}")]
    NoSuchNumber {
        /// The field that the assignment is about.
        column: Column,
        /// The assigned number, from 1.
        number: usize,
        /// Number of columns in the table.
        columns: usize,
    },
    /// Two fields are assigned the same column.
    #[error("{first} and {second} are assigned the same column")]
    Shared {
        /// One of the two fields.
        first: Column,
        /// The other field.
        second: Column,
    },
}

impl ColumnMapping {
    /// Parses `field:header,field:number,…`. A column whose header contains a comma must be given by
    /// its number. The number 0 excludes an optional field.
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

    /// Builds a mapping from pairs of a field's name and a header or number.
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
                // A number that overflows is beyond the last column of any table.
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
        let is_given = |column: &Column| {
            let mut all = std::iter::once(column).chain(column.alternatives());
            all.any(|column| self.number(*column).is_some())
        };
        Column::REQUIRED.iter().all(is_given)
    }

    /// The column number assigned to a field, from 1; `None` if it isn't assigned by number.
    pub(super) fn number(&self, column: Column) -> Option<usize> {
        self.0.iter().find_map(|(known, source)| match source {
            Source::Number(number) if *known == column => Some(*number),
            _ => None,
        })
    }
}

/// Shortens a text for use in an error.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(MAX_REPEATED).collect()
}
