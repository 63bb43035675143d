//! One database schema for SQLite and PostgreSQL.
//!
//! Ids are TEXT, instants are unix milliseconds in BIGINT: what both databases keep and compare
//! alike. Everything about a table is declared when it is created, as SQLite can't change it later.
#![warn(missing_docs)]

use sea_orm_migration::MigrationTrait;
pub use sea_orm_migration::MigratorTrait;

mod columns;
mod m0001_keys_and_use;
mod m0002_people_and_usage;

/// All migrations, oldest first. Run it in one transaction that nobody else writes beside: it
/// takes no lock of its own.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_keys_and_use::Migration),
            Box::new(m0002_people_and_usage::Migration),
        ]
    }
}
