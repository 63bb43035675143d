//! The files of an open database: locked for as long as it is open, and compared with those at
//! their paths.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sea_orm::sqlx::{Connection, Error, Row, SqliteConnection, query};
use tokio::sync::Mutex as AsyncMutex;

use super::own_file::beside;

/// Suffixes of the database file, its write-ahead log and the log's index.
const FILES: [&str; 3] = ["", "-wal", "-shm"];
/// Position of the write-ahead log in [`FILES`].
const LOG: usize = 1;

/// Reason why nothing may be written to an open database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unusable {
    #[error(
        "{} was moved or removed while the gateway has it open. Put the files of the database back \
         where they were; or stop the gateway with SIGTERM (it saves what it has, SIGKILL would lose \
         it), check the database (PRAGMA integrity_check) or restore a backup, and start it again",
        .0.display()
    )]
    Missing(PathBuf),
    #[error(
        "{} was replaced while the gateway has it open. Stop the gateway, check the database \
         (PRAGMA integrity_check) or restore a backup, and start it again",
        .0.display()
    )]
    Replaced(PathBuf),
    /// The journal's last commit, or a change of a key that was read, isn't in the database any more.
    #[error(
        "the database was set back to an older state while the gateway serves, as by a backup that is \
         restored into it. Stop the gateway, restore the backup again, and start it; after a failover \
         that lost changes, start every gateway again"
    )]
    SetBack,
}

/// Identity of a file: its device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Reads a file's identity by `stat` alone: opening the file would drop SQLite's locks.
    fn at(path: &Path) -> io::Result<Self> {
        let found = fs::symlink_metadata(path)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}

/// The files of an open database. A connection used for nothing else holds SQLite's shared lock on
/// them, independent of the pools, so that no program that respects SQLite's locks removes the log.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    opened: Vec<(PathBuf, FileId)>,
    connection: AsyncMutex<Option<SqliteConnection>>,
    /// Result of the last check; cleared when every file is back.
    reason: Mutex<Option<Unusable>>,
    /// True once the content of a removed log is in the database.
    is_log_saved: AtomicBool,
}

impl OpenFiles {
    /// Keeps a connection open, and records the identity of its files.
    pub(super) async fn hold(
        database: &Path,
        mut connection: SqliteConnection,
    ) -> Result<Self, Error> {
        // In WAL mode the shared lock is taken by the first statement and kept until the connection
        // is closed.
        query("SELECT count(*) FROM sqlite_schema")
            .execute(&mut connection)
            .await?;
        let opened = FILES.map(|suffix| {
            let path = beside(database, suffix);
            FileId::at(&path).map(|id| (path, id))
        });
        Ok(Self {
            opened: opened.into_iter().collect::<Result<_, _>>()?,
            connection: AsyncMutex::new(Some(connection)),
            reason: Mutex::default(),
            is_log_saved: AtomicBool::new(false),
        })
    }

    /// Checks that the open files are the ones at their paths: three calls of `stat`.
    ///
    /// # Errors
    /// A file that isn't the one that was opened, or a database that was set back.
    pub(crate) fn check(&self) -> Result<(), Unusable> {
        // Locked during the check, so that an older result can't overwrite a newer one.
        let mut reason = self.reason();
        if *reason == Some(Unusable::SetBack) {
            return Err(Unusable::SetBack);
        }
        let replaced = |(path, opened): &(PathBuf, FileId)| match FileId::at(path) {
            Ok(found) if found == *opened => None,
            Ok(_) => Some(Unusable::Replaced(path.clone())),
            Err(_) => None,
        };
        let missing = |(path, _): &(PathBuf, FileId)| {
            FileId::at(path)
                .err()
                .map(|_| Unusable::Missing(path.clone()))
        };
        let files = &self.opened;
        let found = files.iter().find_map(replaced);
        let found = found.or_else(|| files.iter().find_map(missing));
        self.note(&mut reason, found);
        reason.clone().map_or(Ok(()), Err)
    }

    /// The result of the last check. Does no I/O.
    pub(crate) fn reason_found(&self) -> Option<Unusable> {
        self.reason().clone()
    }

    /// Records that the database was set back: nothing is written to it any more.
    pub(crate) fn set_back(&self) -> Unusable {
        self.note(&mut self.reason(), Some(Unusable::SetBack));
        Unusable::SetBack
    }

    /// Size of the write-ahead log in bytes.
    pub(crate) fn log_bytes(&self) -> Option<u64> {
        let (log, _) = self.opened.get(LOG)?;
        fs::symlink_metadata(log).ok().map(|found| found.len())
    }

    /// Returns whether another file has taken the place of one of these: closing the last
    /// connection would remove its log, and copy ours into a database that may have changed since.
    pub(crate) fn are_replaced(&self) -> bool {
        matches!(self.check(), Err(Unusable::Replaced(_)))
    }

    /// Copies the content of a removed log into the database, which is still the one that was
    /// opened. The log's file has no name any more and is lost with this process: a kill would lose
    /// what was promised to be durable.
    pub(crate) async fn save_removed_log(&self) {
        let is_removed = matches!(
            (self.reason_found(), self.opened.get(LOG)),
            (Some(Unusable::Missing(missing)), Some((log, _))) if missing == *log
        );
        if !is_removed || self.is_log_saved.load(Ordering::Acquire) {
            return;
        }
        let mut connection = self.connection.lock().await;
        let Some(connection) = connection.as_mut() else {
            return;
        };
        let checkpoint = query("PRAGMA wal_checkpoint(FULL)").fetch_one(connection);
        let saved = checkpoint.await.and_then(|row| {
            let (is_incomplete, pages): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            Ok((is_incomplete == 0).then_some(pages))
        });
        match saved {
            Ok(Some(pages)) => {
                self.is_log_saved.store(true, Ordering::Release);
                tracing::warn!(
                    pages,
                    "the content of the removed log was saved in the database"
                );
            }
            Ok(None) => {}
            Err(error) => tracing::error!(
                %error,
                "the content of the removed log can't be saved in the database yet"
            ),
        }
    }

    /// Closes the connection. The last one of a database copies the log into it and removes it.
    pub(crate) async fn close(&self) -> Result<(), Error> {
        let connection = self.connection.lock().await.take();
        match connection {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }

    fn note(&self, reason: &mut Option<Unusable>, found: Option<Unusable>) {
        if *reason == found {
            return;
        }
        if let Some(found) = &found {
            tracing::error!(
                error = %found,
                "the database can't be used: every request is refused, and nothing is written"
            );
        } else {
            tracing::warn!("the database's files are back: requests are served again");
        }
        self.is_log_saved.store(false, Ordering::Release);
        *reason = found;
    }

    fn reason(&self) -> MutexGuard<'_, Option<Unusable>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
