//! Size limits of a table.

/// Maximum length of a row in characters.
pub const MAX_ROW_LENGTH: usize = 65_536;

/// Maximum number of blank rows that are ignored; spreadsheets write them after the last row.
pub const MAX_BLANK_ROWS: u32 = 100_000;

/// Maximum length of the caller's own id in characters.
pub const MAX_ID_LENGTH: usize = 100;

/// Maximum number of corrections of a table.
pub const MAX_CORRECTIONS: usize = 10_000;

/// Maximum length in characters of a correction's new value, and of one to be replaced.
pub const MAX_CORRECTION_LENGTH: usize = 500;
