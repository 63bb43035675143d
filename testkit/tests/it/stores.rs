//! The in-memory stores keep the contracts of their ports.

use std::sync::Arc;

use futures::executor::block_on;
use ports::contract;
use ports::contract::journal::JournalUnderTest;
use ports::contract::lookups::NotificationsUnderTest;
use ports::contract::stores::{Stores, StoresUnderTest};
use testkit::fakes::{MemoryJournal, MemoryStore};

async fn stores() -> StoresUnderTest {
    let stores = Stores::of(Arc::new(MemoryStore::default()));
    StoresUnderTest {
        here: stores.clone(),
        elsewhere: stores,
    }
}

async fn journal() -> JournalUnderTest {
    let store = MemoryStore::default();
    JournalUnderTest {
        journal: Arc::new(MemoryJournal::new(store.clone())),
        stores: Stores::of(Arc::new(store)),
    }
}

#[test]
fn keys_in_memory_keep_the_contract() {
    block_on(contract::key_store::key_store(stores));
}

#[test]
fn customers_in_memory_keep_the_contract() {
    block_on(contract::customer_store::customer_store(stores));
}

#[test]
fn the_audit_log_in_memory_keeps_the_contract() {
    block_on(contract::audit_log::audit_log(stores));
}

#[test]
fn the_deny_list_in_memory_keeps_the_contract() {
    block_on(contract::deny_list::deny_list(stores));
}

#[test]
fn secrets_in_memory_keep_the_contract() {
    block_on(contract::secret_fingerprints::secret_fingerprints(stores));
}

#[test]
fn a_catalogue_in_memory_keeps_the_contract() {
    block_on(contract::catalogue_store::catalogue_store(stores));
}

#[test]
fn seals_in_memory_keep_the_contract() {
    block_on(contract::seal_store::seal_store(stores));
}

#[test]
fn an_archive_in_memory_keeps_the_contract() {
    block_on(contract::proof_archive::proof_archive(stores));
}

#[test]
fn lookups_in_memory_keep_the_contract() {
    block_on(contract::lookups::lookup_store(stores));
}

#[test]
fn batches_in_memory_keep_the_contract() {
    block_on(contract::batches::batch_store(stores));
}

#[test]
fn idempotency_keys_in_memory_keep_the_contract() {
    block_on(contract::idempotency::idempotency(stores));
}

#[test]
fn webhooks_in_memory_keep_the_contract() {
    block_on(contract::webhooks::webhook_store(stores));
}

#[test]
fn notifications_of_lookups_in_memory_keep_the_contract() {
    block_on(contract::lookups::lookup_notifications(|| async {
        let store = MemoryStore::default();
        NotificationsUnderTest {
            elsewhere: Stores::of(Arc::new(store.elsewhere())),
            notifications: Arc::new(store),
        }
    }));
}

#[test]
fn a_journal_in_memory_keeps_the_contract() {
    block_on(contract::journal::journal(journal));
}

#[test]
fn delivered_proofs_in_memory_keep_the_contract() {
    block_on(contract::seen_proofs::seen_proofs(journal));
}

#[test]
fn use_in_memory_is_read_back_as_the_contract_says() {
    block_on(contract::usage::usage(journal));
}
