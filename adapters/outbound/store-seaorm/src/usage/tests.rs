//! Plans and counts of statements.
