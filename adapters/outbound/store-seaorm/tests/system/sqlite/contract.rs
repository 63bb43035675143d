//! The contract suites on SQLite.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::replicas::RegistriesUnderTest;
use ports::contract::stores::{Pair, Stores};

use crate::sqlite::support::{Folder, journal};

contract_suites!();

/// A new database, opened as by two processes.
async fn stores() -> Option<(Pair, Folder)> {
    let folder = Folder::new();
    let under_test = Pair {
        here: Stores::of(Arc::new(folder.open().await)),
        elsewhere: Stores::of(Arc::new(folder.open().await)),
    };
    Some((under_test, folder))
}

/// A new database with a journal.
async fn journal_under_test() -> Option<(JournalUnderTest, Folder)> {
    let folder = Folder::new();
    let store = folder.open().await;
    let under_test = JournalUnderTest {
        journal: Arc::new(journal(&store, 1)),
        stores: Stores::of(Arc::new(store)),
    };
    Some((under_test, folder))
}

/// A new register of replicas, opened as by two processes.
async fn registries() -> Option<(RegistriesUnderTest, Folder)> {
    let folder = Folder::new();
    let under_test = RegistriesUnderTest {
        here: Arc::new(folder.open().await),
        elsewhere: Arc::new(folder.open().await),
    };
    Some((under_test, folder))
}
