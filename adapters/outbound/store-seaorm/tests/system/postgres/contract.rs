//! The contract suites on PostgreSQL, with the rights of the role that serves.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::lookup_notifications::NotificationsUnderTest;
use ports::contract::replicas::RegistriesUnderTest;
use ports::contract::stores::{Pair, Stores};

use crate::postgres::server::TestDatabase;
use crate::postgres::support::journal;

contract_suites!();
ports::lookup_notifications!(kept: notifications().await);

/// A database without rows, opened as by two processes.
async fn stores() -> Option<(Pair, TestDatabase)> {
    let database = TestDatabase::new()?;
    let under_test = Pair {
        here: Stores::of(Arc::new(database.open_to_serve().await)),
        elsewhere: Stores::of(Arc::new(database.open_to_serve().await)),
    };
    Some((under_test, database))
}

/// A database without rows with a journal.
async fn journal_under_test() -> Option<(JournalUnderTest, TestDatabase)> {
    let database = TestDatabase::new()?;
    let store = database.open_to_serve().await;
    let under_test = JournalUnderTest {
        journal: Arc::new(journal(&store, 1)),
        stores: Stores::of(Arc::new(store)),
    };
    Some((under_test, database))
}

/// A new register of replicas, opened as by two processes.
async fn registries() -> Option<(RegistriesUnderTest, TestDatabase)> {
    let database = TestDatabase::new()?;
    let under_test = RegistriesUnderTest {
        here: Arc::new(database.open_to_serve().await),
        elsewhere: Arc::new(database.open_to_serve().await),
    };
    Some((under_test, database))
}

async fn notifications() -> Option<(NotificationsUnderTest, TestDatabase)> {
    let database = TestDatabase::new()?;
    let here = database.open_to_serve().await;
    let under_test = NotificationsUnderTest {
        notifications: Arc::new(here.notifications().unwrap()),
        elsewhere: Stores::of(Arc::new(database.open_to_serve().await)),
    };
    Some((under_test, database))
}
