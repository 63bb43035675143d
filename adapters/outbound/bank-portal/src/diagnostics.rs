//! Unknown pages: summarised for the log, and stored as files if the operator enables that.
//!
//! A page may hold a payment's accounts and names. The summary may be logged; the file is for the
//! operator alone (mode 0600), and only the newest few are kept.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use reqwest::StatusCode;
use sha2::{Digest as _, Sha256};

use crate::error::PageSummary;

/// Number of unknown pages that are kept.
const MAX_FILES: usize = 20;
/// Maximum size of one file; the known pages have up to 19 kB.
const MAX_BYTES: usize = 512 * 1024;
const EXTENSION: &str = "page";

/// Summarises and stores unknown pages.
pub(crate) struct Diagnostics {
    /// The directory; one writer at a time. `None` stores nothing.
    directory: Option<Arc<Mutex<PathBuf>>>,
}

impl Diagnostics {
    /// Creates the directory when it doesn't exist.
    pub(crate) fn new(directory: Option<PathBuf>) -> io::Result<Self> {
        if let Some(directory) = &directory {
            create_private_directory(directory)?;
        }
        let directory = directory.map(|directory| Arc::new(Mutex::new(directory)));
        Ok(Self { directory })
    }

    /// Summarises a page, and stores it. A repeated page is stored once.
    pub(crate) async fn record(&self, status: StatusCode, page: &Bytes) -> PageSummary {
        let summary = summarise(status, page);
        if let Some(directory) = &self.directory {
            let directory = Arc::clone(directory);
            let page = page.slice(..page.len().min(MAX_BYTES));
            let storing = tokio::task::spawn_blocking(move || {
                let directory = directory.lock().unwrap_or_else(PoisonError::into_inner);
                store(&directory, summary.fingerprint, &page)
            });
            let stored = storing.await.unwrap_or_else(|error| Err(error.into()));
            if let Err(error) = stored {
                tracing::warn!(%error, "unknown bank page not stored");
            }
        }
        summary
    }
}

pub(crate) fn summarise(status: StatusCode, page: &[u8]) -> PageSummary {
    let hash = Sha256::digest(page);
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    PageSummary {
        status,
        bytes: page.len(),
        fingerprint: u64::from_be_bytes(first),
    }
}

fn store(directory: &Path, fingerprint: u64, page: &[u8]) -> io::Result<()> {
    let path = directory.join(format!("{fingerprint:016x}.{EXTENSION}"));
    // Created anew, so that it has our mode and the newest modification time.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_private_file(&path)?.write_all(page)?;
    prune(directory, &path)
}

/// Removes the oldest files over the limit, never the one just written.
fn prune(directory: &Path, newest: &Path) -> io::Result<()> {
    let mut others = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path != newest
            && path
                .extension()
                .is_some_and(|extension| extension == EXTENSION)
        {
            let modified = fs::symlink_metadata(&path)?.modified()?;
            others.push((modified, path));
        }
    }
    others.sort();
    let surplus = (others.len() + 1).saturating_sub(MAX_FILES);
    for (_, path) in others.into_iter().take(surplus) {
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(unix)]
fn create_private_file(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
fn create_private_file(path: &Path) -> io::Result<fs::File> {
    fs::File::create_new(path)
}

#[cfg(unix)]
fn create_private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

#[cfg(not(unix))]
fn create_private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn an_unknown_page_is_stored_for_its_owner_alone_under_its_fingerprint() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("a/b");
        let diagnostics = Diagnostics::new(Some(directory.clone())).unwrap();
        let page = Bytes::from_static(b"an unknown page");
        let summary = diagnostics.record(StatusCode::OK, &page).await;
        diagnostics.record(StatusCode::OK, &page).await;
        let name = format!("{:016x}.page", summary.fingerprint);
        assert_eq!(names(&directory), std::slice::from_ref(&name));
        assert_eq!(fs::read(directory.join(&name)).unwrap(), page);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&directory.join(name)), 0o600);
        assert_eq!(mode(&directory), 0o700);
    }

    #[tokio::test]
    async fn the_newest_twenty_are_kept_and_foreign_files_are_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("notes.txt"), "").unwrap();
        let diagnostics = Diagnostics::new(Some(directory.path().to_owned())).unwrap();
        let mut last = None;
        for n in 0..30 {
            let page = Bytes::from(format!("page {n}"));
            last = Some(diagnostics.record(StatusCode::OK, &page).await);
        }
        let names = names(directory.path());
        assert_eq!(names.len(), MAX_FILES + 1);
        assert!(names.contains(&"notes.txt".to_owned()));
        let newest = format!("{:016x}.page", last.unwrap().fingerprint);
        assert!(names.contains(&newest));
    }

    #[tokio::test]
    async fn no_more_than_half_a_megabyte_of_a_page_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let diagnostics = Diagnostics::new(Some(directory.path().to_owned())).unwrap();
        let page = Bytes::from(vec![b'x'; 2 * MAX_BYTES]);
        let summary = diagnostics.record(StatusCode::OK, &page).await;
        assert_eq!(summary.bytes, 2 * MAX_BYTES);
        let kept = fs::metadata(directory.path().join(&names(directory.path())[0])).unwrap();
        assert_eq!(kept.len(), MAX_BYTES as u64);
    }
}
