//! Creates the database's file, and checks an existing one: **the only place of this program that
//! opens a file of the database itself**.
//!
//! POSIX locks belong to the process: closing any descriptor of a file drops every lock that the
//! process holds on it, those of SQLite's connections too ("How To Corrupt An SQLite Database
//! File", section 2.2). The next program to close the database then believes that it is the last
//! one and removes the write-ahead log under the connections that are open here. So an existing
//! file is checked by its path (`stat`, `chmod`), which opens nothing, and a missing one is created
//! and closed before any thread can connect to it. SQLite alone opens it from then on.

use std::fs::{self, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::own_file::{self, FileError, OWNER_ONLY, OthersAccess};

/// Held from before a file is created until after it is closed: another thread that finds it may
/// connect to it at once, and closing it then would drop that connection's locks.
static CREATING: Mutex<()> = Mutex::new(());

/// Creates the file for its owner alone, or checks the existing one: a regular file of this
/// process's user. Other users' access to it is removed. SQLite gives the same permissions to the
/// files that it creates beside it.
pub(super) fn create(path: &Path) -> Result<(), FileError> {
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    // O_CREAT with O_EXCL neither opens a file that is there nor follows a link.
    let created = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(OWNER_ONLY)
        .open(path);
    match created {
        Ok(_closed) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check(path),
        Err(error) => Err(error.into()),
    }
}

fn check(path: &Path) -> Result<(), FileError> {
    if own_file::check(&fs::symlink_metadata(path)?)? == OthersAccess::Some {
        fs::set_permissions(path, Permissions::from_mode(OWNER_ONLY))?;
        tracing::warn!(
            path = %path.display(),
            "others had access to the database's file; it is its owner's alone now (mode 0600)"
        );
    }
    Ok(())
}
