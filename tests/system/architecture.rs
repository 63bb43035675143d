//! Rules of the architecture: dependencies between crates and on others, circles of files, skipped tests, targets without
//! tests, and places that open files.

mod circles;
mod crates;
mod dependencies;
mod open_files;
mod skipped_tests;
mod untested_targets;
