//! Rules of the architecture: dependencies between crates, circles of files, skipped tests, and
//! places that open files.

mod circles;
mod crates;
mod open_files;
mod skipped_tests;
