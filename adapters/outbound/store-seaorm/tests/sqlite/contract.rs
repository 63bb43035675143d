//! The contracts.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::key_store::KeyStoreUnderTest;

use crate::support::{Folder, Kept, journal};

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_sqlite_keep_the_contract() {
    let folders = std::sync::Mutex::new(Vec::new());
    ports::contract::key_store::key_store(|| async {
        let folder = Folder::new();
        let under_test = KeyStoreUnderTest {
            store: Arc::new(folder.open().await),
            elsewhere: Arc::new(folder.open().await),
        };
        folders.lock().unwrap().push(folder);
        under_test
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_in_sqlite_keeps_the_contract() {
    ports::contract::journal::journal(|| async {
        let folder = Arc::new(Folder::new());
        let store = folder.open().await;
        JournalUnderTest {
            journal: Arc::new(journal(&store, 1)),
            keys: Arc::new(store),
            requests: Arc::new(Kept(folder)),
        }
    })
    .await;
}
