//! Cell separators of CSV files.

/// Character that separates the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// `,`, the usual separator.
    Comma,
    /// `;`, written by spreadsheets in locales with a decimal comma.
    Semicolon,
    /// Tab, as in Excel's "Unicode text".
    Tab,
}

impl Separator {
    /// All separators, in order of preference.
    pub(super) const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The separator as a character.
    pub(super) fn character(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Tab => '\t',
        }
    }

    /// Parses a line like `sep=;`, which Excel reads and writes.
    pub(super) fn of_declaration(line: &str) -> Option<Self> {
        let line = line.trim_matches('"');
        let said = line
            .get(..4)
            .filter(|start| start.eq_ignore_ascii_case("sep="))
            .and_then(|start| line.strip_prefix(start))?;
        let mut said = said.chars();
        let separator = said.next()?;
        let rest = said.as_str();
        // Excel may pad the line with separators.
        let ends = rest
            .chars()
            .all(|c| c == separator || matches!(c, '"' | ' '));
        Self::ALL
            .into_iter()
            .find(|it| ends && it.character() == separator)
    }
}
