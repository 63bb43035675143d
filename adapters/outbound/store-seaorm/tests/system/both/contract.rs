//! What the contract suites test, on a database of either kind.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::replicas::RegistriesUnderTest;
use ports::contract::stores::{Pair, Stores};
use store_seaorm::Store;

use crate::both::entries::journal;

/// A database of a test.
pub(crate) trait TestDatabase {
    /// A handle on it with the rights of a gateway that serves, as another process would open it.
    async fn serving_store(&self) -> Store;
}

/// A database without rows, opened as by two processes.
pub(crate) async fn stores<D: TestDatabase>(database: Option<D>) -> Option<(Pair, D)> {
    let database = database?;
    let under_test = Pair {
        here: Stores::of(Arc::new(database.serving_store().await)),
        elsewhere: Stores::of(Arc::new(database.serving_store().await)),
    };
    Some((under_test, database))
}

/// A database without rows with a journal.
pub(crate) async fn journaled<D: TestDatabase>(
    database: Option<D>,
) -> Option<(JournalUnderTest, D)> {
    let database = database?;
    let store = database.serving_store().await;
    let under_test = JournalUnderTest {
        journal: Arc::new(journal(&store, 1)),
        stores: Stores::of(Arc::new(store)),
    };
    Some((under_test, database))
}

/// A new register of replicas, opened as by two processes.
pub(crate) async fn registries<D: TestDatabase>(
    database: Option<D>,
) -> Option<(RegistriesUnderTest, D)> {
    let database = database?;
    let under_test = RegistriesUnderTest {
        here: Arc::new(database.serving_store().await),
        elsewhere: Arc::new(database.serving_store().await),
    };
    Some((under_test, database))
}
