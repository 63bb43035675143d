//! Lock of the one process that serves a database.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::own_file::{self, FileError, OWNER_ONLY, OthersAccess, beside};

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
    #[error(
        "another gateway serves on this database, or a backup is being restored ({} is locked): stop it \
         first, or use another folder (CEP_DATA_DIR)",
        .0.display()
    )]
    Taken(PathBuf),
    /// The file can't be opened, or isn't one that this program uses.
    #[error("the lock {path} can't be used: {problem}")]
    File {
        path: PathBuf,
        #[source]
        problem: FileError,
    },
}

impl ServingLock {
    pub(crate) fn take(database: &Path) -> Result<Self, LockError> {
        let path = beside(database, ".lock");
        let file = match open(&path) {
            Ok(file) => file,
            Err(problem) => return Err(LockError::File { path, problem }),
        };
        match file.try_lock() {
            Ok(()) => Ok(Self { _locked: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(path)),
            Err(TryLockError::Error(error)) => Err(LockError::File {
                path,
                problem: error.into(),
            }),
        }
    }
}

/// Opens the lock's file for its owner alone: another user who can read it could keep it locked. A
/// file that others can read, as `flock(1)` creates it, is changed.
fn open(path: &Path) -> Result<File, FileError> {
    // Nothing is truncated and no link is followed: it might lead to the database itself.
    // Non-blocking, so that a pipe isn't waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(OWNER_ONLY)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {
            return Err(FileError::Link);
        }
        Err(error) => return Err(error.into()),
    };
    if own_file::check(&file.metadata()?)? == OthersAccess::Some {
        file.set_permissions(Permissions::from_mode(OWNER_ONLY))?;
    }
    Ok(file)
}
