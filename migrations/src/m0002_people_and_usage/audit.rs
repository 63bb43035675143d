//! The audit log. Triggers prevent its entries from being changed.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use super::run;
use crate::columns::{Columns, number};

#[derive(DeriveIden)]
enum AuditLog {
    Table,
    Id,
    At,
    ActorIssuer,
    ActorSubject,
    Action,
    CustomerId,
    KeyId,
    Changes,
    RequestId,
}

pub(super) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager
        .create_table(audit_log(Columns::of(manager)))
        .await?;
    let by = |name: &str, column: Option<AuditLog>| {
        let mut index = Index::create().name(name).table(AuditLog::Table).take();
        if let Some(column) = column {
            index.col(column);
        }
        index.col(AuditLog::At).col(AuditLog::Id).take()
    };
    manager.create_index(by("audit_by_time", None)).await?;
    let customer = by("audit_of_a_customer", Some(AuditLog::CustomerId));
    manager.create_index(customer).await?;
    let key = by("audit_of_a_key", Some(AuditLog::KeyId));
    manager.create_index(key).await?;
    match manager.get_database_backend() {
        DbBackend::Postgres => run(manager, &APPEND_ONLY_POSTGRES).await,
        DbBackend::Sqlite | DbBackend::MySql | _ => run(manager, &APPEND_ONLY_SQLITE).await,
    }
}

pub(super) async fn down(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::drop().table(AuditLog::Table).take();
    manager.drop_table(table).await?;
    if manager.get_database_backend() == DbBackend::Postgres {
        run(manager, &["DROP FUNCTION audit_log_is_append_only()"]).await?;
    }
    Ok(())
}

/// `INSERT OR REPLACE` removes a row without firing the trigger on deletes, so an insert with an
/// existing id is refused first.
const APPEND_ONLY_SQLITE: [&str; 3] = [
    "CREATE TRIGGER audit_log_keeps_its_entries BEFORE DELETE ON audit_log \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER audit_log_keeps_what_entries_say BEFORE UPDATE ON audit_log \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    "CREATE TRIGGER audit_log_replaces_no_entry BEFORE INSERT ON audit_log \
     WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id) \
     BEGIN SELECT RAISE(ABORT, 'the audit log has an entry with this id'); END",
];

const APPEND_ONLY_POSTGRES: [&str; 2] = [
    "CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS \
     $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$",
    "CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log \
     FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()",
];

/// Entries: actor, request, target, and the changed fields with their values before and after, in
/// JSON. No foreign keys: entries outlast their targets.
fn audit_log(columns: Columns) -> TableCreateStatement {
    Table::create()
        .table(AuditLog::Table)
        .col(columns.text(AuditLog::Id).primary_key())
        .col(number(AuditLog::At))
        .col(columns.text(AuditLog::ActorIssuer))
        .col(columns.text(AuditLog::ActorSubject))
        .col(columns.text(AuditLog::Action))
        .col(columns.text(AuditLog::CustomerId))
        .col(columns.optional_text(AuditLog::KeyId))
        .col(columns.text(AuditLog::Changes))
        .col(columns.text(AuditLog::RequestId))
        .take()
}
