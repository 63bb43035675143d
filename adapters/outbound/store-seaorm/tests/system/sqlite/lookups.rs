//! Lookups in SQLite beside those of the fake.

use std::sync::Arc;

use ports::contract::stores::Stores;
use proptest::prelude::*;
use tokio::runtime::Runtime;

use crate::both::lookups as sequences;
use crate::sqlite::support::Folder;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_of_operations_is_answered_as_by_the_fake(steps in sequences::steps()) {
        Runtime::new().unwrap().block_on(async {
            let folder = Folder::new();
            let store = Stores::of(Arc::new(folder.open().await));
            sequences::assert_agrees(store, &steps).await;
        });
    }
}
