//! The in-memory stores keep the contracts of their ports.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::lookup_notifications::NotificationsUnderTest;
use ports::contract::stores::{Pair, Stores};
use testkit::fakes::{MemoryJournal, MemoryStore};

ports::key_store!(stores());
ports::customer_store!(stores());
ports::audit_log!(stores());
ports::deny_list!(stores());
ports::secret_fingerprints!(stores());
ports::catalogue_store!(stores());
ports::seal_store!(stores());
ports::proof_archive!(stores());
ports::lookups!(stores());
ports::batches!(stores());
ports::idempotency!(stores());
ports::own_accounts!(stores());
ports::webhooks!(stores());
ports::lookup_notifications!(notifications());
ports::journal!(journal_under_test());
ports::seen_proofs!(journal_under_test());
ports::usage!(journal_under_test());

fn stores() -> Pair {
    let stores = Stores::of(Arc::new(MemoryStore::default()));
    Pair {
        here: stores.clone(),
        elsewhere: stores,
    }
}

fn journal_under_test() -> JournalUnderTest {
    let store = MemoryStore::default();
    JournalUnderTest {
        journal: Arc::new(MemoryJournal::new(store.clone())),
        stores: Stores::of(Arc::new(store)),
    }
}

fn notifications() -> NotificationsUnderTest {
    let store = MemoryStore::default();
    NotificationsUnderTest {
        elsewhere: Stores::of(Arc::new(store.elsewhere())),
        notifications: Arc::new(store),
    }
}
