//! Programs in place of Tesseract.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

/// The head of the table, and words of it.
pub(crate) const HEAD: &str = r"printf 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n'";

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
static MADE: AtomicUsize = AtomicUsize::new(0);

/// A shell script with these commands; returns a folder that it may write to, too.
pub(crate) fn program(commands: &str) -> (PathBuf, PathBuf) {
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let folder = FOLDER.path().join(number.to_string());
    fs::create_dir(&folder).unwrap();
    let path = folder.join("program");
    // Written under another name: a file that a process has open for writing can't be started.
    let written = folder.join("written");
    fs::write(&written, format!("#!/bin/sh\n{commands}\n")).unwrap();
    fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(written, &path).unwrap();
    (folder, path)
}
