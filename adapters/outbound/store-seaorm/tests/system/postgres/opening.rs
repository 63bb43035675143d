//! Unusable URLs and servers: the error names the fault and the remedy, and never a password.

use std::fs;
use std::time::{Duration, Instant};

use domain::key::KeyId;
use ports::outbound::UsageJournal;
use sea_orm::ConnectionTrait;
use store_seaorm::{OpenError, ServerError, Store, StoreOptions, UrlError};
use testkit::postgres::{Postgres, USER, give};
use testkit::tls::Certificates;
use uuid::Uuid;

use crate::postgres::server::database_or_skip;
use crate::postgres::support::{admission, journal, number};

async fn refused(url: &str) -> OpenError {
    let options = StoreOptions {
        connect_timeout: Duration::from_millis(500),
        ..StoreOptions::default()
    };
    let refused = Store::open_with(url, options).await.expect_err(url);
    for said in [refused.to_string(), format!("{refused:?}")] {
        assert!(!said.contains("sesame"), "{said}");
    }
    refused
}

#[tokio::test]
async fn an_invalid_url_is_refused_with_its_fault() {
    for (url, expected) in [
        (
            "postgres://ana:open sesame@[db/cep",
            "postgres://USER:PASSWORD@",
        ),
        (
            "postgres://ana:open/sesame@db/cep",
            "write anything but letters and digits as %XX",
        ),
        (
            "postgres://ana:open?sesame@db/cep",
            "write anything but letters and digits as %XX",
        ),
        ("postgres://ana:1?sesame@db/cep", "it has no user"),
        (
            "postgres://ana:x@1/sesame@db/cep",
            "write anything but letters and digits as %XX",
        ),
        (
            "postgres://ana:x@1/a?sesame#@db/cep",
            "write anything but letters and digits as %XX",
        ),
        ("postgres://:sesame@db/cep", "it has no user"),
        ("postgres://ana:sesame@db", "it has no database"),
        ("postgres://ana:sesame@/cep", "as %XX"),
        ("postgres:ana", "it has no user"),
        (
            "postgres://ana:sesame@db/cep?sslmod=disable",
            "a parameter that isn't known",
        ),
        (
            "postgres://ana:sesame@db/cep?sesame=1",
            "a parameter that isn't known",
        ),
        (
            "postgres://ana:sesame@db/cep?sslmode=no",
            "its sslmode must be",
        ),
        (
            "postgres://ana:sesame@db/cep?sslmode=allow",
            "its sslmode must be",
        ),
        (
            "postgres://ana:sesame@db/cep?sslmode=disable&sslmode=require",
            "sslmode twice",
        ),
        (
            "postgres://ana:sesame@db/cep?sslmode=prefer&sslrootcert=ca.pem",
            "set sslmode=verify-full",
        ),
        (
            "postgres://ana:sesame@db/cep?host=elsewhere",
            "the folder of a socket",
        ),
    ] {
        let refused = refused(url).await;
        assert!(
            matches!(refused, OpenError::ServerUrl(_)),
            "{url}: {refused}"
        );
        let said = refused.to_string();
        assert!(said.contains(expected), "{url}: {said}");
    }
    let known = refused("postgres://ana@db/cep?x=1").await.to_string();
    assert!(
        known.contains(&UrlError::UnknownParameter.to_string()),
        "{known}"
    );
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_refused_with_a_remedy() {
    let database = database_or_skip!(with_server);
    let admin = database.connect().await;
    for statement in [
        "CREATE USER guarded PASSWORD 'open sesame'",
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc \
         TEMPLATE template0",
    ] {
        admin.execute_unprepared(statement).await.unwrap();
    }
    let at = format!("127.0.0.1:{}", database.0.server().port());
    for (url, expected) in [
        (
            format!("postgres://guarded:sesame@{at}/postgres"),
            "refuses the login (code 28P01)",
        ),
        (format!("postgres://{USER}@{at}/nowhere"), "CREATE DATABASE"),
        (
            format!("postgres://{USER}@{at}/latin"),
            "its encoding is LATIN1",
        ),
        (
            format!("postgres://{USER}@{at}/postgres?sslmode=require"),
            "sslmode=disable",
        ),
        (
            format!("postgres://{USER}@{at}/postgres?sslmode=verify-full"),
            "sslmode=disable",
        ),
        (
            "postgres://ana:sesame@127.0.0.1:1/cep".to_owned(),
            "nothing answers",
        ),
    ] {
        let refused = refused(&url).await;
        assert!(
            matches!(refused, OpenError::Server { .. }),
            "{url}: {refused}"
        );
        let said = refused.to_string();
        assert!(said.contains(expected), "{url}: {said}");
    }
    let right = format!("postgres://guarded:open%20sesame@{at}/postgres");
    let store = Store::open(&right).await.unwrap();
    assert!(!format!("{store:?}").contains("sesame"));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let asked = Instant::now();
    let refused = refused(&format!("postgres://ana:sesame@127.0.0.1:{port}/cep")).await;
    assert!(asked.elapsed() < Duration::from_secs(5));
    let fault = |error| match error {
        OpenError::Server { fault, .. } => fault,
        other => panic!("{other}"),
    };
    assert!(matches!(fault(refused), ServerError::Silent(_)));
}

#[tokio::test]
async fn connections_carry_an_application_name() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    for (more, name) in [("", "cep-gateway"), ("&application_name=batch", "batch")] {
        let store = Store::open(&format!("{}{more}", database.url()))
            .await
            .unwrap();
        store.check_schema().await.unwrap();
        let named = format!(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name = '{name}'"
        );
        assert!(number(&connection, &named).await > 0, "{name}");
    }
}

#[tokio::test]
async fn a_receipt_is_durable_even_when_the_server_commits_asynchronously() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    for statement in [
        "CREATE TABLE commits (kind text)",
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$",
        "CREATE TRIGGER note AFTER INSERT ON journal_marks FOR EACH ROW EXECUTE FUNCTION note()",
    ] {
        connection.execute_unprepared(statement).await.unwrap();
    }
    for (process, usual) in [(1, "off"), (2, "local")] {
        let url = format!(
            "{}&options=-c%20synchronous_commit%3D{usual}",
            database.url()
        );
        let store = Store::open(&url).await.unwrap();
        let key = KeyId(Uuid::nil());
        journal(&store, process)
            .admit(admission(key))
            .await
            .unwrap();
    }
    let kept = "SELECT COUNT(*) FROM commits WHERE kind = ";
    for kind in ["'on'", "'local'"] {
        assert_eq!(
            number(&connection, &format!("{kept}{kind}")).await,
            1,
            "{kind}"
        );
    }
}

/// Gives a server a certificate for `localhost`; returns the path of its authority's. `None` without
/// OpenSSL.
fn certify(server: &Postgres) -> Option<String> {
    let files = Certificates::new(server.folder(), "DNS:localhost")?;
    give(&files.key);
    let settings = format!(
        "ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'\n",
        files.certificate.display(),
        files.key.display()
    );
    let file = server.folder().join("data/postgresql.auto.conf");
    fs::write(file, settings).unwrap();
    Some(files.authority.to_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_connection_uses_the_tls_mode_of_its_url() {
    let mut database = database_or_skip!(with_server);
    let Some(certificate) = certify(database.0.server()) else {
        return;
    };
    database.0.own_server().end("INT");
    database.0.own_server().start_again();
    let port = database.0.server().port();
    let url = |host: &str, rest: &str| format!("postgres://{USER}@{host}:{port}/postgres?{rest}");
    let ours = format!("sslrootcert={certificate}");
    let secured = "SELECT COUNT(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()";
    for (host, rest, is_secure) in [
        ("localhost", format!("sslmode=verify-full&{ours}"), 1),
        ("localhost", ours.clone(), 1),
        ("127.0.0.1", format!("sslmode=verify-ca&{ours}"), 1),
        ("127.0.0.1", format!("sslmode=require&{ours}"), 1),
        ("127.0.0.1", "sslmode=require".to_owned(), 1),
        ("127.0.0.1", "sslmode=prefer".to_owned(), 1),
        ("127.0.0.1", String::new(), 1),
        ("127.0.0.1", "sslmode=disable".to_owned(), 0),
    ] {
        let url = url(host, &rest);
        let store = Store::open(&url).await.unwrap();
        store.migrate().await.unwrap();
        let connection = sea_orm::Database::connect(&url).await.unwrap();
        assert_eq!(number(&connection, secured).await, is_secure, "{url}");
    }
    for (host, rest) in [
        // No authority signed it; it is another server's.
        ("localhost", "sslmode=verify-full".to_owned()),
        ("localhost", "sslmode=verify-ca".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-full&{ours}")),
        ("127.0.0.1", ours),
    ] {
        let refused = refused(&url(host, &rest)).await.to_string();
        assert!(
            refused.contains("no secure connection"),
            "{host} {rest}: {refused}"
        );
    }
}
