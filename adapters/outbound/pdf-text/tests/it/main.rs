//! Reading of PDFs: the sandbox's, altered ones, and hostile ones; and the checks of both files of a
//! proof with real seals.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;
mod checks;
mod draft;
mod fuzz;
mod hostile;
mod lies;
mod memory;
mod reading;
mod support;
