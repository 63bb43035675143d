//! Lock of the one process that serves a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::beside;

/// An exclusive lock (`flock`) on a file beside the database, `cep.db.lock`, held until it is
/// dropped. It is independent of SQLite's own locks: commands that read and write beside a serving
/// process take none.
#[derive(Debug)]
pub struct ServingLock {
    _locked: File,
}

/// Reason why the lock can't be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error(
        "another gateway serves on this database, or a backup is being restored ({} is locked): stop it \
         first, or use another folder (CEP_DATA_DIR)",
        .0.display()
    )]
    Taken(PathBuf),
    /// The file can't be opened.
    #[error("{path} can't be opened: {source}")]
    File {
        /// The lock's file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl ServingLock {
    pub(super) fn take(database: &Path) -> Result<Self, LockError> {
        let path = beside(database, ".lock");
        // Nothing is truncated and no link is followed: it might lead to the database itself.
        let opened = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(source) => return Err(LockError::File { path, source }),
        };
        match file.try_lock() {
            Ok(()) => Ok(Self { _locked: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(path)),
            Err(TryLockError::Error(source)) => Err(LockError::File { path, source }),
        }
    }
}
