//! One database schema for SQLite and PostgreSQL.
//!
//! Ids are TEXT, instants are unix milliseconds in BIGINT: types that both databases store and
//! compare alike (PostgreSQL with an explicit collation: its default depends on the language).
//! Everything about a table is declared when it is created, as SQLite can't change it later.

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::sea_orm::{DatabaseConnection, DbErr, EntityName, EntityTrait, QueryOrder};
use sea_orm_migration::{MigrationTrait, SchemaManager, seaql_migrations};

mod columns;
mod m0001_keys_and_use;
mod m0002_people_and_usage;
mod m0003_provider_keys;
mod m0004_secret_marks;
mod m0005_drop_provider_keys;
mod m0006_rotated_keys;
mod m0007_replicas;
mod m0008_participant_catalogue;
mod m0009_seals;
mod m0010_seen_proofs;
mod m0011_request_seals;
mod m0012_proof_archive;
mod m0013_lookups;
mod m0014_idempotency;
mod m0015_webhooks;
mod m0016_batches;
mod m0017_lookup_seals;
mod m0018_lookup_findings;
mod m0019_session_ends;
mod m0020_erasure_time;
mod m0021_own_accounts;

/// All migrations, oldest first. Run it in one transaction while nothing else writes: it takes no
/// lock of its own.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_keys_and_use::Migration),
            Box::new(m0002_people_and_usage::Migration),
            Box::new(m0003_provider_keys::Migration),
            Box::new(m0004_secret_marks::Migration),
            Box::new(m0005_drop_provider_keys::Migration),
            Box::new(m0006_rotated_keys::Migration),
            Box::new(m0007_replicas::Migration),
            Box::new(m0008_participant_catalogue::Migration),
            Box::new(m0009_seals::Migration),
            Box::new(m0010_seen_proofs::Migration),
            Box::new(m0011_request_seals::Migration),
            Box::new(m0012_proof_archive::Migration),
            Box::new(m0013_lookups::Migration),
            Box::new(m0014_idempotency::Migration),
            Box::new(m0015_webhooks::Migration),
            Box::new(m0016_batches::Migration),
            Box::new(m0017_lookup_seals::Migration),
            Box::new(m0018_lookup_findings::Migration),
            Box::new(m0019_session_ends::Migration),
            Box::new(m0020_erasure_time::Migration),
            Box::new(m0021_own_accounts::Migration),
        ]
    }
}

/// State of a database relative to the migrations of this version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Migrations that haven't been applied, oldest first.
    pub missing: Vec<String>,
    /// Migrations that were applied and aren't known here: a newer version's.
    pub unknown: Vec<String>,
}

/// Returns the state of a database. Changes nothing, and needs no more rights than to read.
///
/// # Errors
/// Fails when the database fails.
pub async fn status(database: &DatabaseConnection) -> Result<MigrationStatus, DbErr> {
    let table = seaql_migrations::Entity.table_name();
    let mut unknown = Vec::new();
    if SchemaManager::new(database).has_table(table).await? {
        let done = seaql_migrations::Entity::find()
            .order_by_asc(seaql_migrations::Column::Version)
            .all(database)
            .await?;
        unknown.extend(done.into_iter().map(|migration| migration.version));
    }
    let mut missing = Vec::new();
    for migration in Migrator::migrations() {
        match unknown.iter().position(|done| done == migration.name()) {
            Some(place) => drop(unknown.remove(place)),
            None => missing.push(migration.name().to_owned()),
        }
    }
    Ok(MigrationStatus { missing, unknown })
}
