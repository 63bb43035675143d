//! Bounds of a table's parts.

/// Longest row, in characters.
pub const MAX_ROW_LENGTH: usize = 65_536;

/// Longest id of a caller's own, in characters.
pub const MAX_ID_LENGTH: usize = 100;
