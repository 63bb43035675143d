//! Customers, the owners of keys and requests from now on; use by hour and by day; the audit log;
//! and the deny list.
#![expect(
    elided_lifetimes_in_paths,
    reason = "async_trait wants the signatures as the trait spells them"
)]

use sea_orm_migration::prelude::*;

mod audit;
mod people;
mod usage;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0002_people_and_usage"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        people::up(manager).await?;
        usage::up(manager).await?;
        audit::up(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        audit::down(manager).await?;
        usage::down(manager).await?;
        people::down(manager).await
    }
}

/// Runs statements that are spelt alike on both databases.
async fn run(manager: &SchemaManager<'_>, statements: &[&str]) -> Result<(), DbErr> {
    for statement in statements {
        manager
            .get_connection()
            .execute_unprepared(statement)
            .await?;
    }
    Ok(())
}
