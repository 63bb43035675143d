//! Bounds of a table's parts.

/// Longest row, in characters.
pub const MAX_ROW_LENGTH: usize = 65_536;

/// Blank rows of a table that don't count as rows: spreadsheets write them below their last one.
pub const MAX_BLANK_ROWS: u32 = 100_000;

/// Longest id of a caller's own, in characters.
pub const MAX_ID_LENGTH: usize = 100;
