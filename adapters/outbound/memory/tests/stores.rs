//! The stores in memory keep the contracts of the ports that they stand in for.

use std::sync::Arc;

use async_trait::async_trait;
use memory::{MemoryJournal, MemoryKeyStore};
use ports::contract::journal::{JournalUnderTest, KeptRequests};
use ports::contract::key_store::KeyStoreUnderTest;
use ports::outbound::RequestEntry;

struct Kept(Arc<MemoryJournal>);

#[async_trait]
impl KeptRequests for Kept {
    async fn all(&self) -> Vec<RequestEntry> {
        let mut requests = self.0.requests();
        for request in &mut requests {
            request.refund = None;
        }
        requests
    }
}

#[test]
fn keys_in_memory_keep_the_contract() {
    futures::executor::block_on(ports::contract::key_store::key_store(|| async {
        let store = MemoryKeyStore::default();
        KeyStoreUnderTest {
            store: Arc::new(store.clone()),
            elsewhere: Arc::new(store),
        }
    }));
}

#[test]
fn a_journal_in_memory_keeps_the_contract() {
    futures::executor::block_on(ports::contract::journal::journal(|| async {
        let keys = MemoryKeyStore::default();
        let journal = Arc::new(MemoryJournal::new(keys.clone()));
        JournalUnderTest {
            journal: journal.clone(),
            keys: Arc::new(keys),
            requests: Arc::new(Kept(journal)),
        }
    }));
}
