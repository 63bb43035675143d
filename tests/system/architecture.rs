//! Rules of the architecture: dependencies between crates and on others, circles of files, names of metrics, skipped
//! tests, targets without tests, and places that open files.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::files_under;

mod circles;
mod crates;
mod dependencies;
mod metric_names;
mod open_files;
mod skipped_tests;
mod untested_targets;

/// The Rust files below a folder of the project, with their texts.
pub(crate) fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = files_under(&folder).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    files.map(read).collect()
}
