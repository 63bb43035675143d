//! The contract suites on PostgreSQL.

use std::sync::Arc;

use ports::contract::lookup_notifications::NotificationsUnderTest;
use ports::contract::stores::Stores;
use store_seaorm::Store;

use crate::both::contract::{self, journaled, registries, stores};
use crate::postgres::server::TestDatabase;

contract_suites!(TestDatabase::new());
ports::lookup_notifications!(kept: notifications().await);

impl contract::TestDatabase for TestDatabase {
    async fn serving_store(&self) -> Store {
        self.open_to_serve().await
    }
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
