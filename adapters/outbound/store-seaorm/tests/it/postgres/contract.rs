//! The contract suites on PostgreSQL, with the rights of the role that serves.

use std::sync::Arc;

use ports::contract::journal::JournalUnderTest;
use ports::contract::lookups::NotificationsUnderTest;
use ports::contract::replicas::RegistriesUnderTest;
use ports::contract::stores::{Stores, StoresUnderTest};

use crate::postgres::server::{CleanedDatabase, Server, server_or_skip};
use crate::postgres::support::journal;

/// A database without rows, opened as by two processes.
async fn stores(database: &CleanedDatabase<'_>) -> StoresUnderTest {
    let database = database.cleaned().await;
    StoresUnderTest {
        here: Stores::of(Arc::new(database.open_to_serve().await)),
        elsewhere: Stores::of(Arc::new(database.open_to_serve().await)),
    }
}

/// A new register of replicas, opened as by two processes.
async fn registries(server: &Server) -> RegistriesUnderTest {
    let database = server.database().await;
    RegistriesUnderTest {
        here: Arc::new(database.open().await),
        elsewhere: Arc::new(database.open().await),
    }
}

/// A database without rows with a journal.
async fn journal_under_test(database: &CleanedDatabase<'_>) -> JournalUnderTest {
    let store = database.cleaned().await.open_to_serve().await;
    JournalUnderTest {
        journal: Arc::new(journal(&store, 1)),
        stores: Stores::of(Arc::new(store)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::key_store::key_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn customers_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::customer_store::customer_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_log_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::audit_log::audit_log(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deny_list_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::deny_list::deny_list(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::secret_fingerprints::secret_fingerprints(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::catalogue_store::catalogue_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seals_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::seal_store::seal_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_archive_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::proof_archive::proof_archive(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lookups_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::lookups::lookup_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::batches::batch_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idempotency_keys_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::idempotency::idempotency(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::webhooks::webhook_store(|| stores(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::journal::journal(|| journal_under_test(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn delivered_proofs_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::seen_proofs::seen_proofs(|| journal_under_test(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn use_in_postgresql_keeps_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::usage::usage(|| journal_under_test(&database)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    ports::contract::replicas::replica_registry(|| registries(&server)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_of_lookups_in_postgresql_keep_the_contract() {
    let server = server_or_skip!();
    let database = CleanedDatabase::of(&server).await;
    ports::contract::lookups::lookup_notifications(async || {
        let database = database.cleaned().await;
        let here = database.open_to_serve().await;
        NotificationsUnderTest {
            notifications: Arc::new(here.notifications().unwrap()),
            elsewhere: Stores::of(Arc::new(database.open_to_serve().await)),
        }
    })
    .await;
}
