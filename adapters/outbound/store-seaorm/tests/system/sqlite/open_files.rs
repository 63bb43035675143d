//! The files of an open database: locked for as long as it is open, and refused once they are
//! replaced.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use ports::outbound::{JournalError, KeyStore, UsageJournal};
use rstest::rstest;
use rustix::fs::{CWD, Mode, mkfifoat};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection};
use store_seaorm::{FileError, Journal, LockError, OpenError, Store, StoreOptions, sqlite_url};
use testkit::eventually;
use testkit::sqlite::holds_shared_lock;

use crate::both::entries::{add_key, admission, revoke, used};
use crate::sqlite::support::{Folder, with_journal};

const FILES: [&str; 3] = ["cep.db", "cep.db-wal", "cep.db-shm"];

fn inodes(folder: &Folder) -> [u64; 3] {
    FILES.map(|name| fs::metadata(folder.path().join(name)).unwrap().ino())
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_process_keeps_its_lock_whatever_else_it_opens_and_closes() {
    let folder = Folder::new();
    let store = folder.open().await;
    add_key(&store, 1).await;
    let opened = inodes(&folder);
    assert!(holds_shared_lock(std::process::id(), &folder.database()));
    let log = fs::metadata(folder.path().join("cep.db-wal")).unwrap();
    assert_eq!(store.log_bytes(), Some(log.len()));
    let separate = store.with_separate_pool(1).await.unwrap();
    assert_eq!(separate.connections().max, 1);
    let second = Store::open(&folder.url()).await.unwrap();
    let lock = Store::lock_for_serving(&folder.url()).unwrap();
    assert!(holds_shared_lock(std::process::id(), &folder.database()));
    drop(lock);
    second.close().await.unwrap();
    let closed = separate.clone();
    separate.close_pool().await.unwrap();
    assert!(closed.newest_change().await.is_err());
    let third = Store::open(&folder.url()).await.unwrap();
    third.close().await.unwrap();
    assert!(holds_shared_lock(std::process::id(), &folder.database()));
    assert_eq!(inodes(&folder), opened);
    store.newest_change().await.unwrap();
    store.close().await.unwrap();
    assert!(!holds_shared_lock(std::process::id(), &folder.database()));
    assert!(!folder.path().join("cep.db-wal").exists());
}

/// A plain connection that bypasses the store: databases attached to it stay.
async fn one_connection(folder: &Folder) -> DatabaseConnection {
    let mut options = ConnectOptions::new(folder.url());
    options.max_connections(1);
    Database::connect(options).await.unwrap()
}

fn impatient() -> StoreOptions {
    StoreOptions {
        journal_patience: Duration::from_millis(300),
        ..StoreOptions::default()
    }
}

#[track_caller]
fn assert_refused(refused: Result<(), JournalError>, said: &str) {
    let refused = refused.unwrap_err();
    assert!(matches!(refused, JournalError::Store { .. }), "{refused}");
    for said in [said, "top the gateway"] {
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

/// Waits until all entries are written: a flush waits only as long as the journal's patience.
async fn is_written(journal: &Journal) {
    let written = async || journal.flush().await.is_ok();
    eventually("all is written", Duration::from_secs(20), written).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_while_a_file_is_missing(
    #[values("cep.db", "cep.db-wal", "cep.db-shm")] name: &str,
) {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    writer.admit(admission(key)).await.unwrap();
    let (place, away) = (folder.path().join(name), folder.path().join("away"));
    fs::rename(&place, &away).unwrap();

    assert_refused(writer.admit(admission(key)).await, "moved or removed");
    assert_refused(writer.accepts(), name);
    assert!(writer.trouble().is_some());
    assert!(store.newest_change().await.is_err());
    assert!(revoke(&store, key, 2).await.is_err());
    assert!(!place.exists(), "nothing is made in its place");

    fs::rename(&away, &place).unwrap();
    store.newest_change().await.unwrap();
    is_written(&writer).await;
    writer.accepts().unwrap();
    assert_eq!(used(&store, key).await, (2, 0), "written once");
    revoke(&store, key, 3).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_of_a_removed_log_is_saved_in_the_database() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    writer.admit(admission(key)).await.unwrap();
    fs::remove_file(folder.path().join("cep.db-wal")).unwrap();
    assert!(store.newest_change().await.is_err());
    // The state after a process was killed: the file in place, and no log.
    let copy = Folder::new();
    // Copied by another program: closing the file in this process would drop SQLite's locks.
    let mut cp = Command::new("cp");
    let copied = cp.args([folder.database(), copy.database()]).status();
    assert!(copied.unwrap().success());
    assert_eq!(used(&copy.open().await, key).await, (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_file_is_neither_written_to_nor_is_its_log_removed() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    let other = Folder::new();
    let theirs = other.open().await;
    add_key(&theirs, 2).await;
    for suffix in ["", "-wal"] {
        let name = format!("cep.db{suffix}");
        fs::rename(other.path().join(&name), folder.path().join(&name)).unwrap();
    }
    let bytes = || ["cep.db", "cep.db-wal"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let before = bytes();
    assert_refused(writer.admit(admission(key)).await, "replaced");
    assert!(store.close().await.is_err());
    assert!(bytes() == before, "the other database is as it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_was_set_back_is_refused_for_good() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    writer.admit(admission(key)).await.unwrap();
    // As `.restore` does: the whole database is what it was, in one transaction.
    let backup = folder.path().join("backup.db");
    let restoring = one_connection(&folder).await;
    let copy = format!("VACUUM INTO '{}'", backup.display());
    restoring.execute_unprepared(&copy).await.unwrap();
    for _ in 0..3 {
        writer.admit(admission(key)).await.unwrap();
    }
    for sql in [
        &*format!("ATTACH '{}' AS backup", backup.display()),
        "BEGIN IMMEDIATE; \
         DELETE FROM main.journal_marks; \
         INSERT INTO main.journal_marks SELECT * FROM backup.journal_marks; \
         DELETE FROM main.monthly_use; \
         INSERT INTO main.monthly_use SELECT * FROM backup.monthly_use; \
         COMMIT",
    ] {
        restoring.execute_unprepared(sql).await.unwrap();
    }
    assert_refused(writer.admit(admission(key)).await, "set back");
    assert_refused(writer.accepts(), "set back");
    assert!(store.newest_change().await.is_err());
    assert_eq!(used(&folder.open().await, key).await, (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_a_change_of_a_key_that_was_seen_is_refused_for_good() {
    let (folder, store, key, writer) = with_journal(impatient()).await;
    let separate = store.with_separate_pool(1).await.unwrap();
    revoke(&store, key, 2).await.unwrap();
    store.newest_change().await.unwrap();
    let earlier = "UPDATE newest_key_change SET number = number - 1";
    let connection = folder.connect().await;
    let changed = connection.execute_unprepared(earlier).await.unwrap();
    assert_eq!(changed.rows_affected(), 1);
    assert!(separate.newest_change().await.is_err());
    // Nothing was committed by this journal yet, whose own checkpoint would tell.
    assert_refused(writer.accepts(), "set back");
    assert_refused(writer.admit(admission(key)).await, "set back");
    let again = "UPDATE newest_key_change SET number = number + 1";
    connection.execute_unprepared(again).await.unwrap();
    assert!(store.newest_change().await.is_err());
}

#[tokio::test]
async fn a_symbolic_link_is_refused_and_its_target_untouched() {
    let folder = Folder::new();
    let target = folder.path().join("target");
    fs::write(&target, "not ours").unwrap();
    for name in ["cep.db", "cep.db.lock"] {
        symlink(&target, folder.path().join(name)).unwrap();
    }
    let opened = Store::open(&folder.url()).await.map(drop);
    let locked = Store::lock_for_serving(&folder.url()).map(drop);
    for refused in [opened.unwrap_err(), locked.unwrap_err()] {
        let (OpenError::File { problem, .. } | OpenError::Lock(LockError::File { problem, .. })) =
            &refused
        else {
            panic!("{refused}");
        };
        assert!(matches!(problem, FileError::Link), "{refused}");
    }
    assert_eq!(fs::read_to_string(target).unwrap(), "not ours");
}

#[tokio::test]
async fn a_lock_that_is_no_file_is_refused_without_waiting_for_it() {
    let folder = Folder::new();
    let lock = folder.path().join("cep.db.lock");
    mkfifoat(CWD, &lock, Mode::RUSR | Mode::WUSR).unwrap();
    let refused = Store::lock_for_serving(&folder.url()).unwrap_err();
    let is_for_file = matches!(&refused, OpenError::Lock(LockError::File { .. }));
    assert!(is_for_file, "{refused}");
}

#[tokio::test]
async fn a_lock_that_others_may_hold_becomes_its_owners() {
    let folder = Folder::new();
    let lock = folder.path().join("cep.db.lock");
    fs::write(&lock, "as it was").unwrap();
    fs::set_permissions(&lock, Permissions::from_mode(0o666)).unwrap();
    let _held = Store::lock_for_serving(&folder.url()).unwrap();
    assert_eq!(fs::metadata(&lock).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(lock).unwrap(), "as it was");
}

#[tokio::test]
async fn a_file_of_another_user_is_refused() {
    let folder = Folder::new();
    fs::write(folder.database(), "").unwrap();
    let another = 4_321;
    if chown(folder.database(), Some(another), None).is_err() {
        println!("SKIPPED: only root may give files away");
        return;
    }
    let lock = folder.path().join("cep.db.lock");
    fs::write(&lock, "").unwrap();
    chown(&lock, Some(another), None).unwrap();
    let opened = Store::open(&folder.url()).await.map(drop);
    let locked = Store::lock_for_serving(&folder.url()).map(drop);
    for refused in [opened, locked] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("belongs to the user 4321"), "{refused}");
    }
}

#[tokio::test]
async fn access_by_other_users_to_an_existing_file_is_removed() {
    let folder = Folder::new();
    folder.open().await.close().await.unwrap();
    fs::set_permissions(folder.database(), Permissions::from_mode(0o644)).unwrap();
    let _store = folder.open().await;
    for name in FILES {
        let mode = fs::metadata(folder.path().join(name)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test]
async fn parameters_that_change_how_a_file_is_locked_are_refused() {
    let folder = Folder::new();
    for parameters in [
        "immutable=true",
        "vfs=unix-none",
        "cache=shared",
        "mode=ro",
        "mode=rw&x",
    ] {
        let url = format!("{}?{parameters}", folder.url());
        let refused = Store::open(&url).await.unwrap_err();
        assert!(matches!(refused, OpenError::Parameters), "{refused}");
    }
    let allowed = format!("{}?mode=rwc", folder.url());
    Store::open(&allowed).await.unwrap();
}

#[tokio::test]
async fn one_process_serves_a_database_however_its_path_is_spelt() {
    let folder = Folder::new();
    let url = sqlite_url(&folder.path().join("with blank?.db")).unwrap();
    let lock = Store::lock_for_serving(&url).unwrap();
    assert!(lock.is_some() && folder.path().join("with blank?.db.lock").exists());
    let refused = Store::lock_for_serving(&url).unwrap_err().to_string();
    assert!(refused.contains("another gateway serves"), "{refused}");
    drop(lock);
    Store::lock_for_serving(&url).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_writes_to_is_opened_without_waiting() {
    let folder = Folder::new();
    folder.open().await.close().await.unwrap();
    let lock = folder.lock().await;
    let asked = Instant::now();
    let store = Store::open(&folder.url()).await.unwrap();
    store.newest_change().await.unwrap();
    assert!(asked.elapsed() < StoreOptions::default().busy_timeout);
    lock.rollback().await.unwrap();
}
