//! Unknown pages, described without a word of them, and kept where the operator wants that.
//!
//! A page may hold a payment's accounts and names. The description is fit for a log; the file is
//! for the operator's eyes (mode 0600), and only the newest few are kept.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use reqwest::StatusCode;
use sha2::{Digest as _, Sha256};

use crate::fault::Description;

/// Most files that are kept.
const MOST_FILES: usize = 20;
/// How much of one page is kept; the known ones have up to 19 kB.
const MOST_BYTES: usize = 512 * 1024;
const EXTENSION: &str = "page";

/// Describes and keeps unknown pages.
pub(crate) struct Diagnosis {
    /// The folder; one writer at a time. `None` keeps nothing.
    folder: Option<Arc<Mutex<PathBuf>>>,
}

impl Diagnosis {
    /// Makes the folder when it isn't there.
    pub(crate) fn new(folder: Option<PathBuf>) -> io::Result<Self> {
        if let Some(folder) = &folder {
            create_private_folder(folder)?;
        }
        let folder = folder.map(|folder| Arc::new(Mutex::new(folder)));
        Ok(Self { folder })
    }

    /// Describes a page, and keeps it. One page that comes again is one file.
    pub(crate) async fn record(&self, status: StatusCode, page: &Bytes) -> Description {
        let description = describe(status, page);
        if let Some(folder) = &self.folder {
            let folder = Arc::clone(folder);
            let page = page.slice(..page.len().min(MOST_BYTES));
            let keeping = tokio::task::spawn_blocking(move || {
                let folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
                keep(&folder, description.fingerprint, &page)
            });
            let kept = keeping.await.unwrap_or_else(|error| Err(error.into()));
            if let Err(error) = kept {
                tracing::warn!(%error, "an unknown page of the bank could not be kept");
            }
        }
        description
    }
}

pub(crate) fn describe(status: StatusCode, page: &[u8]) -> Description {
    let hash = Sha256::digest(page);
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    Description {
        status,
        bytes: page.len(),
        fingerprint: u64::from_be_bytes(first),
    }
}

fn keep(folder: &Path, fingerprint: u64, page: &[u8]) -> io::Result<()> {
    let path = folder.join(format!("{fingerprint:016x}.{EXTENSION}"));
    // Written anew, so that it counts as new and has our mode.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_private_file(&path)?.write_all(page)?;
    prune(folder, &path)
}

/// Removes the oldest files over the limit, never the one just written.
fn prune(folder: &Path, newest: &Path) -> io::Result<()> {
    let mut others = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path != newest
            && path
                .extension()
                .is_some_and(|extension| extension == EXTENSION)
        {
            let modified = fs::metadata(&path)?.modified()?;
            others.push((modified, path));
        }
    }
    others.sort();
    let surplus = (others.len() + 1).saturating_sub(MOST_FILES);
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
fn create_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

#[cfg(not(unix))]
fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn an_unknown_page_is_kept_for_its_owner_alone_under_its_fingerprint() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        let diagnosis = Diagnosis::new(Some(folder.clone())).unwrap();
        let page = Bytes::from_static(b"a page of a kind never seen");
        let description = diagnosis.record(StatusCode::OK, &page).await;
        diagnosis.record(StatusCode::OK, &page).await;
        let name = format!("{:016x}.page", description.fingerprint);
        assert_eq!(names(&folder), std::slice::from_ref(&name));
        assert_eq!(fs::read(folder.join(&name)).unwrap(), page);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder.join(name)), 0o600);
        assert_eq!(mode(&folder), 0o700);
    }

    #[tokio::test]
    async fn the_newest_twenty_are_kept_and_foreign_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        let diagnosis = Diagnosis::new(Some(folder.path().to_owned())).unwrap();
        let mut last = None;
        for n in 0..30 {
            let page = Bytes::from(format!("page {n}"));
            last = Some(diagnosis.record(StatusCode::OK, &page).await);
        }
        let names = names(folder.path());
        assert_eq!(names.len(), MOST_FILES + 1);
        assert!(names.contains(&"notes.txt".to_owned()));
        let newest = format!("{:016x}.page", last.unwrap().fingerprint);
        assert!(names.contains(&newest));
    }

    #[tokio::test]
    async fn no_more_than_half_a_megabyte_of_a_page_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let diagnosis = Diagnosis::new(Some(folder.path().to_owned())).unwrap();
        let page = Bytes::from(vec![b'x'; 2 * MOST_BYTES]);
        let description = diagnosis.record(StatusCode::OK, &page).await;
        assert_eq!(description.bytes, 2 * MOST_BYTES);
        let kept = fs::metadata(folder.path().join(&names(folder.path())[0])).unwrap();
        assert_eq!(kept.len(), MOST_BYTES as u64);
    }
}
