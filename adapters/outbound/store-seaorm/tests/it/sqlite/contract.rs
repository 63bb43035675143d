//! The contract suites on SQLite.

use std::sync::{Arc, Mutex};

use ports::contract::journal::JournalUnderTest;
use ports::contract::replicas::RegistriesUnderTest;
use ports::contract::stores::{Stores, StoresUnderTest};

use crate::sqlite::support::{Folder, journal};

/// Folders, kept until the end of a suite.
#[derive(Default)]
struct Folders(Mutex<Vec<Folder>>);

impl Folders {
    /// A new database, opened as by two processes.
    async fn stores(&self) -> StoresUnderTest {
        let folder = Folder::new();
        let under_test = StoresUnderTest {
            here: Stores::of(Arc::new(folder.open().await)),
            elsewhere: Stores::of(Arc::new(folder.open().await)),
        };
        self.0.lock().unwrap().push(folder);
        under_test
    }

    /// A new register of replicas, opened as by two processes.
    async fn registries(&self) -> RegistriesUnderTest {
        let folder = Folder::new();
        let under_test = RegistriesUnderTest {
            here: Arc::new(folder.open().await),
            elsewhere: Arc::new(folder.open().await),
        };
        self.0.lock().unwrap().push(folder);
        under_test
    }

    /// A new database with a journal.
    async fn journal(&self) -> JournalUnderTest {
        let folder = Folder::new();
        let store = folder.open().await;
        let under_test = JournalUnderTest {
            journal: Arc::new(journal(&store, 1)),
            stores: Stores::of(Arc::new(store)),
        };
        self.0.lock().unwrap().push(folder);
        under_test
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::key_store::key_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn customers_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::customer_store::customer_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::audit_log::audit_log(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deny_list_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::deny_list::deny_list(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::secret_fingerprints::secret_fingerprints(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::catalogue_store::catalogue_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seals_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::seal_store::seal_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_archive_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::proof_archive::proof_archive(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::lookups::lookup_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::batches::batch_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idempotency_keys_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::idempotency::idempotency(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::webhooks::webhook_store(|| folders.stores()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::journal::journal(|| folders.journal()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn delivered_proofs_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::seen_proofs::seen_proofs(|| folders.journal()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn use_in_sqlite_keeps_the_contract() {
    let folders = Folders::default();
    ports::contract::usage::usage(|| folders.journal()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_in_sqlite_keep_the_contract() {
    let folders = Folders::default();
    ports::contract::replicas::replica_registry(|| folders.registries()).await;
}
