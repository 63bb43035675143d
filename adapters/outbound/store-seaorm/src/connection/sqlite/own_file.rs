//! Rules for a file of this program's own: a regular file of this process's user, not reached by a
//! symbolic link.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Permission bits of everybody but the owner.
const OTHERS: u32 = 0o077;
/// Mode of a file that only its owner has access to.
pub(crate) const OWNER_ONLY: u32 = 0o600;

/// The path of a file beside the database: `cep.db` and `-wal` make `cep.db-wal`.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

/// Reason why a file isn't used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "it is a symbolic link, which another user may have put there; name the file that it leads to"
    )]
    Link,
    #[error("it is no regular file")]
    Kind,
    #[error(
        "it belongs to the user {owner}, and this program runs as the user {user}: run it as that \
         user, or give the file to this one (chown)"
    )]
    Owner {
        /// User id of the file's owner.
        owner: u32,
        /// User id of this process.
        user: u32,
    },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Access that others have to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OthersAccess {
    None,
    /// Permissions of others, which must be removed.
    Some,
}

/// Checks that a file is no link, is a regular file, and belongs to this process's user.
pub(crate) fn check(found: &Metadata) -> Result<OthersAccess, FileError> {
    if found.file_type().is_symlink() {
        return Err(FileError::Link);
    }
    if !found.is_file() {
        return Err(FileError::Kind);
    }
    let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
    if owner != user {
        return Err(FileError::Owner { owner, user });
    }
    Ok(match found.mode() & OTHERS {
        0 => OthersAccess::None,
        _ => OthersAccess::Some,
    })
}
