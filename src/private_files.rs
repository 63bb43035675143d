//! Folders and files of this program's own: nobody else may have put anything there. What an operator
//! names (`CEP_…_FILE`) is read by other rules, see `config::secret`.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Permission to change it, of anybody but the owner.
const OTHERS_WRITE: u32 = 0o022;
/// Any permission of anybody but the owner.
const OTHERS: u32 = 0o077;

/// Reason why a folder or a file isn't used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotPrivate {
    #[error(
        "it is a symbolic link, which another user may have put there: put the file itself there"
    )]
    Link,
    #[error("it is no folder")]
    NoFolder,
    #[error("it is no regular file")]
    NoFile,
    #[error(
        "it belongs to the user {owner}, and this program runs as the user {user}: run it as that user, \
         or give it to this one (chown)"
    )]
    Owner { owner: u32, user: u32 },
    #[error(
        "others may put files into it (mode {0:04o}): run chmod go-w on it, or name a folder inside it, \
         which is made"
    )]
    OthersWrite(u32),
    #[error("others have access to it (mode {0:04o}): run chmod 600 on it")]
    OthersAccess(u32),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes a folder, for its owner alone, when it is missing, and checks one that is there.
///
/// # Errors
/// See [`NotPrivate`].
pub(crate) fn prepare_folder(path: &Path) -> Result<(), NotPrivate> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    check_folder(path)
}

/// Checks that nobody else may put anything into a folder. Its own name may be a link: systemd makes some.
///
/// # Errors
/// See [`NotPrivate`].
pub(crate) fn check_folder(path: &Path) -> Result<(), NotPrivate> {
    let found = fs::metadata(path)?;
    if !found.is_dir() {
        return Err(NotPrivate::NoFolder);
    }
    check_owner(&found)?;
    match found.mode() & OTHERS_WRITE {
        0 => Ok(()),
        _ => Err(NotPrivate::OthersWrite(found.mode() & 0o7777)),
    }
}

/// Opens a file to read that only its owner has access to. No link is followed, and nothing is waited for.
///
/// # Errors
/// See [`NotPrivate`].
pub(crate) fn open(path: &Path) -> Result<File, NotPrivate> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {
            return Err(NotPrivate::Link);
        }
        Err(error) => return Err(error.into()),
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(NotPrivate::NoFile);
    }
    check_owner(&found)?;
    match found.mode() & OTHERS {
        0 => Ok(file),
        _ => Err(NotPrivate::OthersAccess(found.mode() & 0o7777)),
    }
}

fn check_owner(found: &Metadata) -> Result<(), NotPrivate> {
    let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
    if owner == user {
        return Ok(());
    }
    Err(NotPrivate::Owner { owner, user })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    #[test]
    fn a_folder_is_made_for_its_owner_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        prepare_folder(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o7777, 0o700);
        prepare_folder(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o770, 0o702, 0o1777] {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            let refused = prepare_folder(folder.path()).unwrap_err().to_string();
            assert!(refused.contains("chmod go-w"), "{refused}");
            assert!(refused.contains(&format!("{mode:04o}")), "{refused}");
        }
    }

    #[test]
    fn a_folder_may_be_readable_and_reached_by_a_link() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, link) = (parent.path().join("folder"), parent.path().join("link"));
        prepare_folder(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        symlink(&folder, &link).unwrap();
        prepare_folder(&link).unwrap();
    }

    #[test]
    fn what_belongs_to_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        open(&file).unwrap();
        if chown(&file, Some(4_321), None).is_err() {
            println!("SKIPPED: only root may give files away");
            return;
        }
        let refused = open(&file).unwrap_err().to_string();
        assert!(refused.contains("belongs to the user 4321"), "{refused}");
        chown(folder.path(), Some(4_321), None).unwrap();
        let refused = check_folder(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("belongs to the user 4321"), "{refused}");
    }

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        for path in [&*pipe, folder.path()] {
            let refused = open(path).unwrap_err();
            assert!(matches!(refused, NotPrivate::NoFile), "{refused}");
        }
    }
}
