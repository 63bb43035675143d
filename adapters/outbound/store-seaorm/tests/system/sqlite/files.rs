//! Database files: created, shared, kept, and refused when they can't be used.

use std::os::unix::fs::PermissionsExt;

use domain::outcome::Outcome;
use futures::future::join_all;
use ports::contract::fixture::record;
use ports::outbound::UsageJournal;
use store_seaorm::{OpenError, Store, StoreOptions, sqlite_url};

use crate::both::entries::{add_key, admission, journal, request, used};
use crate::sqlite::support::{Folder, keys, with_journal};

#[tokio::test]
async fn a_closed_and_reopened_database_has_kept_everything() {
    let (folder, store, key, writer) = with_journal(StoreOptions::default()).await;
    writer.admit(admission(key)).await.unwrap();
    writer.conclude(request(1, key, Outcome::BankTimeout));
    writer.close().await.unwrap();
    store.close().await.unwrap();

    let store = folder.open().await;
    assert_eq!(used(&store, key).await, (1, 1));
    assert_eq!(folder.requests().await.len(), 1);
    let found = keys(&store).await.unwrap();
    assert_eq!(found[0].prefix, record(1).key.prefix);
    // Another process's journal continues the first one's counts.
    let writer = journal(&store, 2);
    writer.admit(admission(key)).await.unwrap();
    assert_eq!(used(&store, key).await, (2, 1));
}

#[tokio::test]
async fn only_their_owner_can_access_the_files() {
    let folder = Folder::new();
    let store = folder.open().await;
    add_key(&store, 1).await;
    let mut files = 0;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file:?}");
        files += 1;
    }
    assert_eq!(files, 3, "the database, its log and the log's index");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_database_can_be_opened_and_migrated_concurrently() {
    let folder = Folder::new();
    let openings = (0..8).map(|number| {
        let url = folder.url();
        tokio::spawn(async move {
            let store = Store::open(&url).await.unwrap();
            store.migrate().await.unwrap();
            add_key(&store, number).await;
        })
    });
    for opening in join_all(openings).await {
        opening.unwrap();
    }
    assert_eq!(keys(&folder.open().await).await.unwrap().len(), 8);
}

#[tokio::test]
async fn migrating_twice_changes_nothing() {
    let folder = Folder::new();
    let store = Store::open(&folder.url()).await.unwrap();
    assert!(!store.is_current().await.unwrap());
    store.migrate().await.unwrap();
    assert!(store.is_current().await.unwrap());
    let key = add_key(&store, 1).await;
    store.migrate().await.unwrap();
    assert_eq!(keys(&store).await.unwrap()[0].id, key);
}

#[tokio::test]
async fn any_path_can_be_written_as_a_url() {
    let folder = Folder::new();
    for name in ["with blank", "what?.db", "100%25#1", "ñandú.db"] {
        let path = folder.path().join(name);
        let store = Store::open(&sqlite_url(&path).unwrap()).await.unwrap();
        store.migrate().await.unwrap();
        assert!(path.is_file(), "{name}");
    }
}

#[tokio::test]
async fn an_unusable_file_is_refused_with_its_path() {
    let folder = Folder::new();
    let open = async |path: &str| {
        let url = sqlite_url(&folder.path().join(path)).unwrap();
        Store::open(&url).await.unwrap_err()
    };
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for path in ["no/such/folder.db", "folder"] {
        let refused = open(path).await;
        assert!(matches!(refused, OpenError::File { .. }), "{refused}");
        assert!(refused.to_string().contains(path), "{refused}");
    }
    std::fs::write(folder.path().join("notes.txt"), "a".repeat(8_192)).unwrap();
    let notes = open("notes.txt").await;
    assert!(matches!(notes, OpenError::Database { .. }), "{notes}");
    for said in ["notes.txt", "not a database"] {
        assert!(notes.to_string().contains(said), "{notes}");
    }
}

#[tokio::test]
async fn another_kind_of_database_is_refused() {
    for url in ["mysql://user:secret@localhost/cep", "cep.db", ""] {
        let refused = Store::open(url).await.unwrap_err();
        assert!(matches!(refused, OpenError::Url), "{refused}");
        assert!(!refused.to_string().contains("secret"));
    }
    for url in ["sqlite::memory:", "sqlite://cep.db?mode=memory"] {
        let refused = Store::open(url).await.unwrap_err();
        assert!(matches!(refused, OpenError::InMemory), "{refused}");
    }
}
