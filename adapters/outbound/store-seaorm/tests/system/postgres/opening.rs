//! Unusable URLs and servers: the error names the fault and the remedy, and never a password.

use std::fs;
use std::time::{Duration, Instant};

use domain::keys::KeyId;
use ports::outbound::UsageJournal;
use sea_orm::ConnectionTrait;
use store_seaorm::{OpenError, ServerError, Store, StoreOptions, UrlError};
use testkit::postgres::{Postgres, USER, give};
use testkit::tls::Certificates;
use uuid::Uuid;

use crate::both::entries::{admission, journal, number};
use crate::postgres::server::database_or_skip;

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
    let encoded = "write anything but letters and digits as %XX";
    let unknown = "a parameter that isn't known";
    assert!(UrlError::UnknownParameter.to_string().contains(unknown));
    let twice = "ana:sesame@db/cep?sslmode=disable&sslmode=require";
    let unverified = "ana:sesame@db/cep?sslmode=prefer&sslrootcert=ca.pem";
    for (rest, expected) in [
        ("ana:open sesame@[db/cep", "postgres://USER:PASSWORD@"),
        ("ana:open/sesame@db/cep", encoded),
        ("ana:open?sesame@db/cep", encoded),
        ("ana:1?sesame@db/cep", "it has no user"),
        ("ana:x@1/sesame@db/cep", encoded),
        ("ana:x@1/a?sesame#@db/cep", encoded),
        (":sesame@db/cep", "it has no user"),
        ("ana:sesame@db", "it has no database"),
        ("ana:sesame@/cep", "as %XX"),
        ("ana:sesame@db/cep?sslmod=disable", unknown),
        ("ana:sesame@db/cep?sesame=1", unknown),
        ("ana@db/cep?x=1", unknown),
        ("ana:sesame@db/cep?sslmode=no", "its sslmode must be"),
        ("ana:sesame@db/cep?sslmode=allow", "its sslmode must be"),
        (twice, "sslmode twice"),
        (unverified, "set sslmode=verify-full"),
        ("ana:sesame@db/cep?host=elsewhere", "the folder of a socket"),
    ] {
        assert_invalid(&format!("postgres://{rest}"), expected).await;
    }
    assert_invalid("postgres:ana", "it has no user").await;
}

async fn assert_invalid(url: &str, expected: &str) {
    let refused = refused(url).await;
    let is_for_url = matches!(refused, OpenError::ServerUrl(_));
    assert!(is_for_url, "{url}: {refused}");
    assert!(refused.to_string().contains(expected), "{url}: {refused}");
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
    let (plain, login) = ("sslmode=disable", "refuses the login (code 28P01)");
    for (user, at, database, expected) in [
        ("guarded:sesame", &*at, "postgres", login),
        (USER, &at, "nowhere", "CREATE DATABASE"),
        (USER, &at, "latin", "its encoding is LATIN1"),
        (USER, &at, "postgres?sslmode=require", plain),
        (USER, &at, "postgres?sslmode=verify-full", plain),
        ("ana:sesame", "127.0.0.1:1", "cep", "nothing answers"),
    ] {
        let url = format!("postgres://{user}@{at}/{database}");
        let refused = refused(&url).await;
        let is_for_server = matches!(refused, OpenError::Server { .. });
        assert!(is_for_server, "{url}: {refused}");
        assert!(refused.to_string().contains(expected), "{url}: {refused}");
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
    let OpenError::Server { fault, .. } = refused else {
        panic!("{refused}");
    };
    assert!(matches!(fault, ServerError::Silent(_)), "{fault}");
}

#[tokio::test]
async fn connections_carry_an_application_name() {
    let database = database_or_skip!();
    let connection = database.connect().await;
    for (more, name) in [("", "cep-gateway"), ("&application_name=batch", "batch")] {
        let url = format!("{}{more}", database.url());
        let store = Store::open(&url).await.unwrap();
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
        let options = format!("&options=-c%20synchronous_commit%3D{usual}");
        let store = Store::open(&(database.url() + &options)).await.unwrap();
        let writer = journal(&store, process);
        writer.admit(admission(KeyId(Uuid::nil()))).await.unwrap();
    }
    for kind in ["on", "local"] {
        let kept = format!("SELECT COUNT(*) FROM commits WHERE kind = '{kind}'");
        assert_eq!(number(&connection, &kept).await, 1, "{kind}");
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
    let ours = format!("&sslrootcert={certificate}");
    let url = |host, mode, ours| {
        format!("postgres://{USER}@{host}:{port}/postgres?{mode}{ours}").replace("?&", "?")
    };
    let secured = "SELECT COUNT(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()";
    for (host, mode, ours, is_secure) in [
        ("localhost", "sslmode=verify-full", &*ours, 1),
        ("localhost", "", &ours, 1),
        ("127.0.0.1", "sslmode=verify-ca", &ours, 1),
        ("127.0.0.1", "sslmode=require", &ours, 1),
        ("127.0.0.1", "sslmode=require", "", 1),
        ("127.0.0.1", "sslmode=prefer", "", 1),
        ("127.0.0.1", "", "", 1),
        ("127.0.0.1", "sslmode=disable", "", 0),
    ] {
        let url = url(host, mode, ours);
        let store = Store::open(&url).await.unwrap();
        store.migrate().await.unwrap();
        let connection = sea_orm::Database::connect(&url).await.unwrap();
        assert_eq!(number(&connection, secured).await, is_secure, "{url}");
    }
    for (host, mode, ours) in [
        // No authority signed it; it is another server's.
        ("localhost", "sslmode=verify-full", ""),
        ("localhost", "sslmode=verify-ca", ""),
        ("127.0.0.1", "sslmode=verify-full", &ours),
        ("127.0.0.1", "", &ours),
    ] {
        let url = url(host, mode, ours);
        let refused = refused(&url).await.to_string();
        assert!(refused.contains("no secure connection"), "{url}: {refused}");
    }
}
