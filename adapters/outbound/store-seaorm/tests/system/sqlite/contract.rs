//! The contract suites on SQLite.

use store_seaorm::Store;

use crate::both::contract::{TestDatabase, journaled, registries, stores};
use crate::sqlite::support::Folder;

contract_suites!(Some(Folder::new()));

impl TestDatabase for Folder {
    async fn serving_store(&self) -> Store {
        self.open().await
    }
}
