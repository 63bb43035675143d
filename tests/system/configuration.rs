//! Start: defaults that work, wrong values that are refused by name, help, the first five minutes.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rstest::rstest;

use crate::gateway::{Gateway, Plan, command, json_of, refusal, soon};

#[tokio::test]
async fn the_greetings_curl_line_saves_a_proof_when_it_is_pasted() {
    let gateway = Gateway::start();
    soon("the greeting is complete", async || {
        gateway.printed().contains("More keys")
    })
    .await;
    let printed = gateway.printed();
    let curl = printed.lines().find(|line| line.starts_with("curl "));
    let curl = curl.unwrap();
    let saved = Command::new("sh")
        .arg("-c")
        .arg(curl)
        .current_dir(gateway.folder())
        .status()
        .unwrap();
    assert!(saved.success(), "{curl}");
    let proof = std::fs::read(gateway.folder().join("cep.xml")).unwrap();
    assert!(domain::proof::Proof::parse(&proof).is_ok());
}

#[test]
fn the_data_folder_is_its_owners_alone_and_a_second_start_makes_no_second_key() {
    let gateway = Gateway::start();
    for (path, mode) in [("data", 0o700), ("data/secret", 0o600)] {
        let path = std::fs::metadata(gateway.folder().join(path)).unwrap();
        assert_eq!(path.permissions().mode() & 0o777, mode);
    }
    let listed = |gateway: &Gateway| gateway.says(&["keys", "list", "--json"]);
    let first = listed(&gateway);
    assert_eq!(first.as_array().unwrap().len(), 1);
    let gateway = Plan::in_folder(gateway.stop()).start();
    assert_eq!(listed(&gateway), first);
}

#[rstest]
#[case("CEP_LISTEN", "nowhere")]
#[case("CEP_DATABASE_URL", "mysql://db")]
#[case("CEP_DATABASE_TIMEOUT", "0")]
#[case("CEP_HMAC_SECRET", "too short")]
#[case("CEP_BANK_URL", "http://example.org/cep")]
#[case("CEP_BANK_URL", "ftp://127.0.0.1/cep")]
#[case("CEP_BANK_BUDGET", "-1")]
#[case("CEP_BANK_TIMEOUT", "0")]
#[case("CEP_BANK_CONNECT_TIMEOUT", "1h")]
#[case("CEP_SANDBOX_LISTEN", "0.0.0.0:0")]
#[case("CEP_SANDBOX_LATENCY", "-1")]
#[case("CEP_PROOF_MEMORY", "lots")]
#[case("CEP_MAX_CONNECTIONS", "0")]
#[case("CEP_MAX_CONNECTIONS", "4000000000")]
#[case("CEP_MAX_CONNECTIONS_PER_ADDRESS", "0")]
#[case("CEP_TRUSTED_PROXIES", "proxy.example")]
#[case("CEP_TRUSTED_PROXIES", "10.0.0.0/8,0.0.0.0/0")]
#[case("CEP_REQUEST_RETENTION", "4000000000")]
#[case("CEP_REQUEST_RETENTION", "0")]
#[case("CEP_ADMIN_LISTEN", "9464")]
#[case("CEP_INSTANCE", "two words")]
#[case("CEP_INSTANCE", "")]
#[case("CEP_OTLP_ENDPOINT", "collector:4317")]
#[case("CEP_OTLP_ENDPOINT", "http://127.0.0.1:4318/v1/traces")]
#[case("CEP_OTLP_ENDPOINT", "")]
#[case("CEP_OTLP_HEADERS", "Bearer")]
#[case("CEP_TRACE_RATIO", "2")]
#[case("CEP_TRACE_RATIO", "NaN")]
#[case("CEP_LOG", "cep=loud")]
#[case("CEP_LOG", "loud")]
#[case("CEP_LOG_FORMAT", "xml")]
fn a_wrong_value_is_refused_at_start_by_its_name(#[case] variable: &str, #[case] value: &str) {
    let folder = tempfile::tempdir().unwrap();
    let said = refusal(command(folder.path()).env(variable, value));
    assert!(said.contains(variable), "{said}");
    let is_shown = variable == "CEP_HMAC_SECRET" && said.contains(value);
    assert!(!is_shown, "the secret was shown: {said}");
    let left = folder.path().join("data");
    assert!(!left.exists(), "something was left behind");
}

#[test]
fn help_names_every_variable() {
    let folder = tempfile::tempdir().unwrap();
    let help = command(folder.path()).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let program = cep_gateway::cli::program();
    let flags: Vec<_> = program
        .get_arguments()
        .filter(|argument| argument.get_long().is_some())
        .collect();
    assert!(flags.len() > 15);
    for flag in flags {
        let name = flag.get_long().unwrap();
        let variable = format!("CEP_{}", name.to_uppercase().replace('-', "_"));
        assert_eq!(flag.get_env().unwrap(), variable.as_str());
        assert!(help.contains(&variable), "{variable}");
    }
}

#[test]
fn help_is_grouped_and_shows_a_command_its_own_options_alone() {
    let folder = tempfile::tempdir().unwrap();
    let help = |arguments: &[&str]| {
        let help = command(folder.path()).args(arguments).output().unwrap();
        String::from_utf8_lossy(&help.stdout).into_owned()
    };
    let flags = |help: &str| {
        let words = help.split_whitespace();
        let mut flags: Vec<_> = words
            .filter(|word| word.starts_with("--") && !word.starts_with("--help"))
            .map(str::to_owned)
            .collect();
        flags.sort_unstable();
        flags.dedup();
        flags
    };
    assert_eq!(
        flags(&help(&["sandbox", "--help"])),
        ["--latency", "--listen"]
    );
    assert_eq!(flags(&help(&["healthcheck", "--help"])), ["--listen"]);
    assert!(flags(&help(&["migrate", "--help"])).len() < 10);
    let whole = help(&["--help"]);
    for heading in ["Server:", "Database and keys:", "Traces:", "Logs:"] {
        assert!(whole.contains(heading), "{heading}");
    }
    // Headings mustn't leave anything behind but `--help` and `--version`.
    let (_, general) = whole.split_once("\nOptions:\n").unwrap();
    let general = general.split("\n\n").next().unwrap();
    assert!(!general.contains("CEP_"), "{general}");
}

#[test]
fn a_variable_that_a_command_does_not_use_does_not_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut schema = command(folder.path());
    let printed = schema.env("CEP_BANK_BUDGET", "none").arg("schema").output();
    assert!(printed.unwrap().status.success());
}

#[test]
fn the_page_of_options_is_the_programs_own() {
    let folder = tempfile::tempdir().unwrap();
    let printed = command(folder.path()).arg("configuration").output();
    let printed = printed.unwrap();
    assert!(
        String::from_utf8(printed.stdout).unwrap() == include_str!("../../docs/configuration.md"),
        "docs/configuration.md is stale: cargo run -- configuration > docs/configuration.md"
    );
}

#[test]
fn a_standard_output_that_nobody_reads_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut openapi = command(folder.path());
    let printed = openapi.arg("openapi").stdout(full.unwrap()).output();
    let printed = printed.unwrap();
    assert!(printed.status.success());
    assert!(!String::from_utf8_lossy(&printed.stderr).contains("panic"));
}

#[test]
fn keys_are_not_made_with_a_secret_that_the_server_does_not_have() {
    let folder = tempfile::tempdir().unwrap();
    let create = || {
        let mut create = command(folder.path());
        create.args(["keys", "create", "--name", "a"]);
        create
    };
    let made = create().env("CEP_HMAC_SECRET", "s".repeat(32)).output();
    assert!(made.unwrap().status.success());
    let said = refusal(&mut create());
    assert!(said.contains("CEP_HMAC_SECRET"), "{said}");
    assert!(!folder.path().join("data/secret").exists());
}

#[test]
fn another_secret_than_the_databases_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let list = |secrets: &str| {
        let mut list = command(folder.path());
        list.args(["keys", "list"]).env("CEP_HMAC_SECRET", secrets);
        list
    };
    let succeeds = |secrets: &str| list(secrets).status().unwrap().success();
    let (old, new) = ("o".repeat(40), "n".repeat(40));
    assert!(succeeds(&old));
    for refused in [new.clone(), format!("2:{old},1:{new}")] {
        let said = refusal(&mut list(&refused));
        let repair = "DELETE FROM secret_marks WHERE generation = 1;";
        for part in ["the secret of generation 1", repair] {
            assert!(said.contains(part), "{said}");
        }
        assert!(!said.contains(&new) && !said.contains(&old), "{said}");
    }
    for rotated in [format!("1:{old},2:{new}"), format!("2:{new},1:{old}")] {
        assert!(succeeds(&rotated));
    }
    let of_before = format!("2:{old},1:{old}");
    assert!(!succeeds(&of_before), "2 is known too by now");
}

#[tokio::test]
async fn a_key_outlives_the_rotation_of_the_secret() {
    let [old, new] = [("1", "o"), ("2", "n")]
        .map(|(generation, letter)| format!("{generation}:{}", letter.repeat(40)));
    let start = |folder, secrets: &str| {
        let plan = Plan::in_folder(folder);
        plan.with("CEP_HMAC_SECRET", secrets).start()
    };
    let gateway = start(tempfile::tempdir().unwrap(), &old);
    let key = gateway.key(&[]);
    assert_eq!(gateway.status_of(&key).await, 200);
    let gateway = start(gateway.stop(), &format!("{new},{old}"));
    assert_eq!(gateway.status_of(&key).await, 200);
    let gateway = start(gateway.stop(), &new);
    assert_eq!(gateway.status_of(&key).await, 401);
}

#[tokio::test]
async fn health_readiness_and_documents_are_served() {
    let gateway = Gateway::start();
    assert_eq!(gateway.get("/healthz").await.status(), 200);
    let ready = json_of(gateway.get("/readyz").await, 200).await;
    assert!(ready.to_string().contains("store"), "{ready}");
    let served = json_of(gateway.get("/openapi.json").await, 200).await;
    assert_eq!(served, gateway.says(&["openapi"]));
    let kept = include_str!("../../docs/openapi.json");
    let kept: serde_json::Value = serde_json::from_str(kept).unwrap();
    assert!(
        served == kept,
        "docs/openapi.json is stale: cargo run -- openapi > docs/openapi.json"
    );
    let docs = gateway.get("/docs").await;
    assert_eq!(docs.status(), 200);
    let page = docs.text().await.unwrap();
    assert!(
        page.contains("swagger") && !page.contains("https://"),
        "the page loads from elsewhere: {page}"
    );
}

#[tokio::test]
async fn a_container_can_ask_whether_the_gateway_is_up() {
    let gateway = Gateway::start();
    let folder = tempfile::tempdir().unwrap();
    let address = gateway.address.to_string();
    let mut ask = command(folder.path());
    ask.env("CEP_LISTEN", &address).arg("healthcheck");
    assert!(ask.status().unwrap().success());
    gateway.stop();
    assert!(refusal(&mut ask).contains(&address));
}
