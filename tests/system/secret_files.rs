//! Values in files: secrets, and the certificate authority of Redis.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use reqwest::StatusCode;
use rstest::rstest;
use testkit::redis::Redis;
use testkit::tls::Certificates;

use crate::gateway::{self, Gateway, Plan, command, json_of, request, soon};
use crate::servers::Servers;

/// A secret that no message may contain.
const CANARY: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";

/// The messages of a gateway with these variables, which ends because of them.
fn refusal(folder: &Path, variables: &[(&str, &str)]) -> String {
    let said = gateway::refusal(command(folder).envs(variables.iter().copied()));
    assert!(!said.contains("hunter2"), "a secret is shown: {said}");
    said
}

#[track_caller]
fn assert_has<const N: usize>(said: &str, parts: [&str; N]) {
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
}

fn file(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A file as Kubernetes mounts it: behind two links, and readable for a group.
fn mounted(folder: &Path, content: &[u8]) -> String {
    let mounted = folder.join("..2026_11_23");
    fs::create_dir(&mounted).unwrap();
    let secret = file(&mounted, "hmac", content);
    fs::set_permissions(secret, Permissions::from_mode(0o440)).unwrap();
    symlink("..2026_11_23", folder.join("..data")).unwrap();
    let link = folder.join("hmac");
    symlink("..data/hmac", &link).unwrap();
    link.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_secret_in_a_file_is_the_one_that_the_variable_would_hold() {
    let folder = tempfile::tempdir().unwrap();
    let secret = mounted(folder.path(), format!("{CANARY}\n").as_bytes());
    let database = folder.path().join("elsewhere.db");
    let url = format!("sqlite://{}\r\n", database.display());
    let url = file(folder.path(), "url", url.as_bytes());
    let gateway = Plan::in_folder(folder)
        .with("CEP_HMAC_SECRET_FILE", secret)
        .with("CEP_DATABASE_URL_FILE", &url)
        .start();
    let key = gateway.roomy_key();
    assert!(database.exists());
    let gateway = Plan::in_folder(gateway.stop())
        .with("CEP_HMAC_SECRET", CANARY)
        .with("CEP_DATABASE_URL_FILE", &url)
        .start();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
}

/// What is stored is of no use without its secret, and of none with another one.
#[tokio::test]
async fn a_store_secret_that_is_lost_or_another_one_ends_the_start() {
    let gateway = Gateway::start();
    let key = gateway.roomy_key();
    let question = request(1, "10.00").to_string();
    let lookup = |gateway: &Gateway| {
        let creating = gateway.asking("lookups", &key);
        creating.body(question.clone()).send()
    };
    assert!(lookup(&gateway).await.unwrap().status().is_success());
    let folder = gateway.stop();
    let secret = folder.path().join("data/store-secret");
    let kept = fs::read(&secret).unwrap();

    fs::remove_file(&secret).unwrap();
    let said = refusal(folder.path(), &[]);
    assert_has(&said, ["store-secret", "CEP_STORE_SECRET=2:NEW"]);
    assert!(!secret.exists(), "none is drawn");
    let said = refusal(folder.path(), &[("CEP_STORE_SECRET", CANARY)]);
    assert_has(&said, ["CEP_STORE_SECRET", "generation 1", "another one"]);

    // Whoever has no copy goes on with what is new.
    let plan = Plan::in_folder(folder).with("CEP_STORE_SECRET", format!("2:{CANARY}"));
    let gateway = plan.start();
    let answer = lookup(&gateway).await.unwrap();
    let status = answer.status().as_u16();
    let new = json_of(answer, status).await;
    let listed = json_of(gateway.read("/v1/cep/lookups", &key).await, 200).await;
    let listed = listed["items"].as_array().unwrap().iter();
    let ids: Vec<_> = listed.map(|lookup| &lookup["id"]).collect();
    assert_eq!(ids, [&new["id"]]);

    fs::write(&secret, kept).unwrap();
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).unwrap();
    let gateway = Plan::in_folder(gateway.stop()).start();
    assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
}

#[test]
fn a_secret_that_others_may_change_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "hmac", CANARY.as_bytes());
    for mode in [0o620, 0o602] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let said = refusal(folder.path(), &[("CEP_HMAC_SECRET_FILE", &path)]);
        assert_has(&said, ["CEP_HMAC_SECRET_FILE", &path, "chmod go-w"]);
    }
}

#[rstest]
#[case("CEP_DATA_DIR")]
#[case("CEP_BANK_DIAGNOSTICS_DIR")]
fn a_folder_that_others_may_write_to_is_refused(#[case] variable: &str) {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o777)).unwrap();
    let shared = shared.to_str().unwrap();
    let said = refusal(folder.path(), &[(variable, shared)]);
    assert_has(&said, [variable, shared, "chmod go-w"]);
    assert_eq!(fs::read_dir(shared).unwrap().count(), 0);
}

#[test]
fn links_in_the_data_folder_are_refused_and_their_targets_untouched() {
    for name in ["secret", "cep.db", "cep.db.lock"] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "not ours").unwrap();
        fs::set_permissions(&target, Permissions::from_mode(0o600)).unwrap();
        symlink(&target, data.join(name)).unwrap();
        let said = refusal(folder.path(), &[]);
        assert_has(&said, ["symbolic link", name]);
        assert_eq!(fs::read_to_string(target).unwrap(), "not ours", "{name}");
    }
}

/// Other variables that each variable needs.
const BESIDE: [(&str, &str); 4] = [
    ("CEP_OTLP_ENDPOINT", "http://127.0.0.1:4318"),
    ("CEP_OIDC_ISSUER", "https://issuer.example"),
    ("CEP_OIDC_CLIENT_ID", "cep"),
    ("CEP_OIDC_AUDIENCE", "cep"),
];

#[rstest]
#[case("CEP_HMAC_SECRET", CANARY)]
#[case("CEP_DATABASE_URL", "postgres://cep:hunter2@127.0.0.1:1/cep")]
#[case("CEP_REDIS_URL", "redis://cep:hunter2@127.0.0.1:1")]
#[case(
    "CEP_REDIS_CLUSTER",
    "redis://cep:hunter2@127.0.0.1:1,redis://cep:hunter2@127.0.0.1:2"
)]
#[case("CEP_OIDC_CLIENT_SECRET", CANARY)]
#[case("CEP_OTLP_HEADERS", "authorization=Bearer hunter2")]
fn a_secret_is_given_once(#[case] variable: &str, #[case] value: &str) {
    let folder = tempfile::tempdir().unwrap();
    let sister = format!("{variable}_FILE");
    let path = file(folder.path(), "secret", value.as_bytes());
    let both = [(variable, value), (sister.as_str(), path.as_str())];
    let said = refusal(folder.path(), &[&BESIDE[..], &both].concat());
    let one = format!("variable {variable})");
    assert_has(&said, [&sister, &one, "cannot be used with"]);
}

/// The messages of a gateway that a file of this option ends; they name its variable and the file.
fn refused_file(option: &str, content: Option<Vec<u8>>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("the-secret");
    if let Some(content) = content {
        fs::write(&path, content).unwrap();
    }
    let (variable, path) = (format!("CEP_{option}_FILE"), path.to_str().unwrap());
    let said = refusal(folder.path(), &[&BESIDE[..], &[(&variable, path)]].concat());
    assert_has(&said, [&variable, path]);
    said
}

#[rstest]
#[case::missing(None, "can't be read")]
#[case::empty(Some(b"".to_vec()), "is empty")]
#[case::only_a_line_break(Some(b"\n".to_vec()), "is empty")]
#[case::no_text(Some(b"hunter2\xff".repeat(8)), "no text")]
#[case::too_large(Some(b"hunter2 ".repeat(8 * 1024 + 1)), "more than 65536 bytes")]
fn a_file_that_holds_no_secret_is_refused_by_its_name(
    #[case] content: Option<Vec<u8>>,
    #[case] problem: &str,
    #[values(
        "HMAC_SECRET",
        "DATABASE_URL",
        "REDIS_URL",
        "REDIS_CLUSTER",
        "OIDC_CLIENT_SECRET",
        "OTLP_HEADERS"
    )]
    option: &str,
) {
    assert_has(&refused_file(option, content), [problem]);
}

#[test]
fn what_is_wrong_in_a_file_is_said_without_showing_it() {
    for (option, content, remedy) in [
        ("HMAC_SECRET", "hunter2", "32"),
        ("DATABASE_URL", "mysql://cep:hunter2@db/cep", "postgres://"),
        ("REDIS_URL", "http://:hunter2@cache", "rediss://"),
        (
            "REDIS_CLUSTER",
            "redis://:hunter2@a,:hunter2@b",
            "rediss://",
        ),
        ("OTLP_HEADERS", "hunter2", "NAME=VALUE"),
    ] {
        assert_has(&refused_file(option, Some(content.into())), [remedy]);
    }
}

#[tokio::test]
async fn redis_is_trusted_by_the_authority_that_is_named() {
    let Some(servers) = Servers::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = Certificates::new(folder.path(), "IP:127.0.0.1") else {
        return;
    };
    let Some((_redis, port)) = Redis::start_secure(&files) else {
        return;
    };
    let database = servers.database_url();
    let url = format!("rediss://127.0.0.1:{port}");
    let url = file(folder.path(), "url", url.as_bytes());
    let shared = [
        ("CEP_DATABASE_URL", &*database),
        ("CEP_HMAC_SECRET", CANARY),
        ("CEP_STORE_SECRET", CANARY),
        ("CEP_REDIS_TIMEOUT", "10000"),
        ("CEP_DASHBOARD", "off"),
    ];
    let plan = || {
        Plan::new()
            .with_all(shared)
            .with("CEP_REDIS_URL_FILE", &url)
    };
    let authority = files.authority.to_str().unwrap();
    let trusting = plan().with("CEP_REDIS_CA", authority).start();
    let wary = plan().start();
    let none = b"-----BEGIN CERTIFICATE-----\nnone\n";
    let none = file(folder.path(), "none", none);
    let unencrypted = file(folder.path(), "plain", servers.redis.url().as_bytes());
    for (url, authority, problem) in [
        (&url, &*none, "no certificate in PEM"),
        (&unencrypted, authority, "begins with rediss://"),
    ] {
        let of_redis = [("CEP_REDIS_URL_FILE", &**url), ("CEP_REDIS_CA", authority)];
        let said = refusal(folder.path(), &[&shared[..], &of_redis].concat());
        assert_has(&said, ["CEP_REDIS_CA", problem]);
    }
    for (gateway, state) in [(&trusting, "up"), (&wary, "degraded")] {
        let key = gateway.roomy_key();
        soon("it says how it counts", async || {
            gateway.status_of(&key).await;
            gateway.state_of("limiter").await == state
        })
        .await;
    }
}
