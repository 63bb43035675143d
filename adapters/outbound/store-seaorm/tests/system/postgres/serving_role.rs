//! The role that serves: it works, and can't touch what is in the audit log.

use ports::outbound::StoreError;
use sea_orm::{ConnectionTrait, Database};
use store_seaorm::{GrantError, RoleName, SchemaError, Store};

use crate::both::entries::{add_key, assert_log_is_kept, number};
use crate::postgres::server::{SERVING_ROLE, database_or_skip};

fn role(name: &str) -> RoleName {
    RoleName::parse(name).unwrap()
}

#[tokio::test]
async fn the_role_that_serves_can_neither_change_the_audit_log_nor_what_keeps_it() {
    let database = database_or_skip!();
    add_key(&database.open_to_serve().await, 1).await;
    let serving = Database::connect(database.serving_url()).await.unwrap();
    let tamperings = &[
        "UPDATE audit_log SET actor_subject = 'somebody else'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "ALTER TABLE audit_log DISABLE TRIGGER ALL",
        "ALTER TABLE audit_log DROP COLUMN changes",
        "DROP TRIGGER audit_log_is_append_only ON audit_log",
        "CREATE TRIGGER mine BEFORE INSERT ON audit_log EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN RETURN NULL; END'",
        "DROP FUNCTION audit_log_is_append_only() CASCADE",
        "DROP TABLE audit_log",
        "CREATE TABLE mine (id int)",
        "SET session_replication_role = replica",
        "DELETE FROM seaql_migrations",
        "SET ROLE tester",
    ];
    // Refused for want of rights: the triggers don't even come to it.
    let reasons = &["permission denied", "must be owner"];
    assert_log_is_kept(&serving, tamperings, reasons).await;
    let may_tamper = async |store: Store| store.may_tamper_with_audit().await.unwrap();
    assert!(!may_tamper(database.open_to_serve().await).await);
    assert!(may_tamper(database.open().await).await);
}

#[tokio::test]
async fn every_table_is_the_serving_roles_to_read_and_add_to() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    for (rights, except) in [
        ("SELECT", "''"),
        ("INSERT", "'seaql_migrations'"),
        ("UPDATE", "'seaql_migrations', 'audit_log'"),
        ("DELETE", "'seaql_migrations', 'audit_log'"),
    ] {
        let lacking = format!(
            "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ({except}) \
             AND NOT has_table_privilege('{SERVING_ROLE}', quote_ident(schemaname) || '.' || \
             quote_ident(tablename), '{rights}')"
        );
        assert_eq!(number(&connection, &lacking).await, 0, "{rights}");
    }
}

#[tokio::test]
async fn a_role_that_could_change_the_log_anyway_is_refused() {
    let database = database_or_skip!(with_server);
    let connection = database.connect().await;
    let made = "CREATE ROLE member IN ROLE tester; CREATE ROLE superuser SUPERUSER; CREATE ROLE other; \
                CREATE ROLE by_other IN ROLE other; GRANT DELETE ON audit_log TO other; \
                CREATE ROLE plain_owner";
    connection.execute_unprepared(made).await.unwrap();
    let store = database.open().await;
    let refused = async |name| {
        let refused = store.grant_serving(&role(name)).await.unwrap_err();
        let is_for_might = matches!(refused, GrantError::TooMighty(_));
        assert!(is_for_might, "{name}: {refused}");
    };
    for name in ["tester", "member", "superuser", "by_other"] {
        refused(name).await;
    }
    let nobody = store.grant_serving(&role("nobody")).await.unwrap_err();
    let nobody = nobody.to_string();
    assert!(nobody.contains("CREATE ROLE nobody"), "{nobody}");
    // Nothing was taken from the owner.
    add_key(&store, 1).await;
    let owned = "SELECT has_table_privilege('tester', 'audit_log', 'TRIGGER')::int::bigint";
    assert_eq!(number(&connection, owned).await, 1);
    // An owner that is no superuser would give itself back what is taken from it.
    let given = "ALTER TABLE audit_log OWNER TO plain_owner";
    connection.execute_unprepared(given).await.unwrap();
    refused("plain_owner").await;
}

#[tokio::test]
async fn the_role_that_serves_cannot_migrate_and_is_told_what_is_missing() {
    let database = database_or_skip!(with_server);
    let connection = database.connect().await;
    let emptied = "DROP SCHEMA public CASCADE; CREATE SCHEMA public; \
         GRANT USAGE ON SCHEMA public TO PUBLIC";
    connection.execute_unprepared(emptied).await.unwrap();
    let serving = database.open_to_serve().await;
    let behind = serving.check_schema().await.unwrap_err();
    assert!(matches!(behind, SchemaError::Behind { .. }), "{behind}");
    let refused: StoreError = serving.migrate().await.unwrap_err();
    let refused = refused.to_string();
    assert!(refused.contains("permission denied"), "{refused}");
    let owner: Store = database.open().await;
    owner.migrate().await.unwrap();
    let unready = serving.check_schema().await.unwrap_err();
    assert!(matches!(unready, SchemaError::Rights { .. }), "{unready}");
    owner.grant_serving(&role(SERVING_ROLE)).await.unwrap();
    serving.check_schema().await.unwrap();
    // Nothing to do.
    serving.migrate().await.unwrap();
    let later = "CREATE TABLE later (id int)";
    connection.execute_unprepared(later).await.unwrap();
    let unready = serving.check_schema().await.unwrap_err().to_string();
    assert!(unready.ends_with("may not read later"), "{unready}");
}

#[tokio::test]
async fn rights_that_a_role_had_before_are_taken_away() {
    let database = database_or_skip!(with_server);
    let connection = database.connect().await;
    let made = "CREATE ROLE earlier; GRANT ALL ON SCHEMA public TO earlier; \
                GRANT ALL ON ALL TABLES IN SCHEMA public TO earlier";
    connection.execute_unprepared(made).await.unwrap();
    let store = database.open().await;
    store.grant_serving(&role("earlier")).await.unwrap();
    for right in [
        "has_schema_privilege('earlier', 'public', 'CREATE')",
        "has_table_privilege('earlier', 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER')",
        "has_table_privilege('earlier', 'seaql_migrations', 'INSERT, UPDATE, DELETE, TRUNCATE')",
    ] {
        let held = format!("SELECT ({right})::int::bigint");
        assert_eq!(number(&connection, &held).await, 0, "{right}");
    }
}
