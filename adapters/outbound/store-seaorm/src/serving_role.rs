//! PostgreSQL: the rights of the role that the server connects as. It doesn't own the tables, so it
//! can neither change an entry of the audit log nor drop the triggers that protect it.

use std::fmt;

use ports::outbound::StoreError;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, Statement};

use crate::error::failed;
use crate::schema::lock_migrations;
use crate::store::Store;

/// Maximum length of a role's name in PostgreSQL, in bytes.
const MAX_NAME: usize = 63;
/// Statements that set the rights of the role. `ALL TABLES` includes tables of later migrations.
const RIGHTS: [&str; 7] = [
    "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}",
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
    // Entries of the audit log may only be added and read.
    "REVOKE UPDATE, DELETE ON {schema}.audit_log FROM {role}",
    // Only the role that migrates changes the schema's version.
    "REVOKE INSERT, UPDATE, DELETE ON {schema}.seaql_migrations FROM {role}",
    "REVOKE CREATE ON SCHEMA {schema} FROM {role}",
];
/// Selects whether grants can't limit a role: it owns the log, is a member of its owner, or is a
/// superuser.
const MAY_DO_ANYTHING: &str = "SELECT role.rolsuper OR pg_has_role(role.oid, owned.relowner, 'MEMBER') \
     FROM pg_roles AS role, pg_class AS owned \
     WHERE role.rolname = $1 AND owned.oid = 'audit_log'::regclass";
/// Selects whether a role may change the log, also through another role or `PUBLIC`.
const MAY_TAMPER: &str =
    "SELECT has_table_privilege($1, 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER')";

/// Name of a role of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleName(String);

impl RoleName {
    /// Reads a name: lowercase letters, digits and underscores, which are the same quoted or not.
    ///
    /// # Errors
    /// A message that describes a valid name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let begins_well = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        if begins_well && text.len() <= MAX_NAME && text.chars().all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "must be the name of a role of PostgreSQL: a lowercase letter, then lowercase letters, \
             digits and `_`, {MAX_NAME} characters at most"
        ))
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reason why a role can't be the one that serves.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    #[error("a SQLite database has no roles: leave the serving role out")]
    NoServer,
    #[error("the database has no role {0}: make it first (CREATE ROLE {0} LOGIN PASSWORD …)")]
    NoRole(RoleName),
    #[error(
        "the role {0} may change the audit log whatever is granted to it: it owns the tables, is a \
         member of the role that does, or is a superuser; serve with another role"
    )]
    TooMighty(RoleName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<DbErr> for GrantError {
    fn from(error: DbErr) -> Self {
        Self::Store(failed(error))
    }
}

impl Store {
    /// Gives a role the rights to serve on this database, and takes all others away. Call it after each
    /// migration, as the role that owns the tables.
    ///
    /// # Errors
    /// See [`GrantError`].
    pub async fn grant_serving(&self, role: &RoleName) -> Result<(), GrantError> {
        if self.connection.get_database_backend() != DbBackend::Postgres {
            return Err(GrantError::NoServer);
        }
        let transaction = self.begin().await?;
        let granted = grant(&transaction, role).await;
        self.end(transaction, granted).await
    }

    /// Returns whether the current user could change the audit log, or drop its triggers. Always
    /// true on SQLite: the user of a file may do anything with it.
    ///
    /// # Errors
    /// Fails when the database fails.
    pub async fn may_tamper_with_audit(&self) -> Result<bool, StoreError> {
        if self.connection.get_database_backend() != DbBackend::Postgres {
            return Ok(true);
        }
        let me = Statement::from_string(DbBackend::Postgres, "SELECT current_user::text");
        let asked = async {
            let row = self.connection.query_one_raw(me).await?;
            let me: String = row.map_or(Ok(String::new()), |row| row.try_get_by_index(0))?;
            let me = RoleName(me);
            Ok(
                answer(&self.connection, MAY_DO_ANYTHING, &me).await? == Some(true)
                    || answer(&self.connection, MAY_TAMPER, &me).await? == Some(true),
            )
        };
        self.in_time(async { asked.await.map_err(|error: DbErr| failed(error)) })
            .await
    }
}

async fn grant(transaction: &DatabaseTransaction, role: &RoleName) -> Result<(), GrantError> {
    // Two grants at once would change the same rows of the system catalogue.
    lock_migrations(transaction).await?;
    match answer(transaction, MAY_DO_ANYTHING, role).await? {
        None => return Err(GrantError::NoRole(role.clone())),
        Some(true) => return Err(GrantError::TooMighty(role.clone())),
        Some(false) => {}
    }
    let here = Statement::from_string(DbBackend::Postgres, "SELECT quote_ident(current_schema())");
    let row = transaction.query_one_raw(here).await?;
    let schema: String = row.map_or(Ok(String::new()), |row| row.try_get_by_index(0))?;
    for right in RIGHTS {
        let right = right
            .replace("{schema}", &schema)
            .replace("{role}", &format!("\"{role}\""));
        transaction.execute_unprepared(&right).await?;
    }
    match answer(transaction, MAY_TAMPER, role).await? {
        Some(false) => Ok(()),
        _ => Err(GrantError::TooMighty(role.clone())),
    }
}

/// Runs a yes-or-no query about a role; `None` if it returns no row.
async fn answer(
    connection: &impl ConnectionTrait,
    question: &str,
    role: &RoleName,
) -> Result<Option<bool>, DbErr> {
    let question =
        Statement::from_sql_and_values(DbBackend::Postgres, question, [role.0.clone().into()]);
    let row = connection.query_one_raw(question).await?;
    row.map(|row| row.try_get_by_index(0)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_has_a_name_that_needs_no_quotes() {
        for name in ["cep", "cep_serving_2", "_x", &"a".repeat(63)] {
            assert_eq!(RoleName::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "Cep",
            "2cep",
            "cep-b",
            "cep\"; DROP",
            "ñ",
            &"a".repeat(64),
        ] {
            assert!(RoleName::parse(name).is_err(), "{name}");
        }
    }
}
