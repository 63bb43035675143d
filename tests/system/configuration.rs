//! Start: defaults that work, wrong values that are refused by name, help, the first five minutes.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::gateway::{Gateway, Plan, command, json_of, refusal, soon};

#[tokio::test]
async fn the_greeting_warns_of_sign_ins_and_its_curl_line_saves_a_proof_when_it_is_pasted() {
    let gateway = Gateway::start();
    let is_complete = async || gateway.printed().contains("More keys");
    soon("the greeting is complete", is_complete).await;
    let printed = gateway.printed();
    // Anybody may sign in.
    for said in ["FOR DEVELOPMENT ONLY", "/dashboard"] {
        assert!(printed.contains(said), "{printed}");
    }
    let curl = printed.lines().find(|line| line.starts_with("curl "));
    let curl = curl.unwrap();
    let saved = Command::new("sh")
        .args(["-c", curl])
        .current_dir(gateway.folder())
        .status();
    assert!(saved.unwrap().success(), "{curl}");
    let proof = std::fs::read(gateway.folder().join("cep.xml")).unwrap();
    assert!(domain::proofs::Proof::parse(&proof).is_ok());
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

#[test]
fn a_variable_that_no_option_has_ends_the_start_unless_it_may_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let misspelt = [
        ("CEP_DATBASE_URL", "CEP_DATABASE_URL"),
        ("CEP_BANK_BUDGETS", "CEP_BANK_BUDGET"),
        ("CEP_HMAC_SECRET_FLIE", "CEP_HMAC_SECRET_FILE"),
    ];
    let variables = misspelt.map(|(variable, _)| (variable, "1"));
    for arguments in [
        &["serve"][..],
        &["keys", "list"],
        &["migrate"],
        &["seals", "list"],
    ] {
        let said = refusal(command(folder.path()).args(arguments).envs(variables));
        for (variable, meant) in misspelt {
            let named = format!("{variable}: did you mean {meant}?");
            assert!(said.contains(&named), "{arguments:?}: {said}");
        }
        assert!(!folder.path().join("data").exists());
    }
    let printing = command(folder.path())
        .arg("openapi")
        .envs(variables)
        .output();
    assert!(printing.unwrap().status.success());
    let ignoring = [variables[0], ("CEP_IGNORE_UNKNOWN", "on")];
    Plan::in_folder(folder).with_all(ignoring).start();
}

#[test]
fn variables_that_kubernetes_sets_for_a_service_end_no_start() {
    let of_service = [
        ("CEP_GATEWAY_SERVICE_HOST", "10.0.0.1"),
        ("CEP_GATEWAY_SERVICE_PORT_HTTP", "8080"),
        ("CEP_GATEWAY_PORT", "tcp://10.0.0.1:8080"),
        ("CEP_GATEWAY_PORT_8080_TCP_ADDR", "10.0.0.1"),
    ];
    Plan::new().with_all(of_service).start();
}

#[test]
fn a_database_whose_secret_of_keys_is_lost_is_refused_with_what_to_do() {
    let folder = Gateway::start().stop();
    std::fs::remove_file(folder.path().join("data/secret")).unwrap();
    let said = refusal(command(folder.path()).args(["keys", "list"]));
    for part in ["bring `secret` back", "Without a copy", "in a new database"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_wrong_value_is_refused_at_start_by_its_name() {
    for (variable, values) in [
        ("CEP_LISTEN", &["nowhere"][..]),
        ("CEP_DATABASE_URL", &["mysql://db"]),
        ("CEP_DATABASE_TIMEOUT", &["0"]),
        ("CEP_HMAC_SECRET", &["too short"]),
        (
            "CEP_BANK_URL",
            &["http://example.org/cep", "ftp://127.0.0.1/cep"],
        ),
        (
            "CEP_VALIDATOR_URL",
            &["http://example.org/Validador", "Validador"],
        ),
        ("CEP_BANK_BUDGET", &["-1"]),
        ("CEP_BANK_TIMEOUT", &["0"]),
        ("CEP_BANK_CONNECT_TIMEOUT", &["1h"]),
        ("CEP_SANDBOX_LISTEN", &["0.0.0.0:0"]),
        ("CEP_SANDBOX_LATENCY", &["-1"]),
        ("CEP_PROOF_MEMORY", &["lots"]),
        ("CEP_MAX_CONNECTIONS", &["0", "4000000000"]),
        ("CEP_MAX_CONNECTIONS_PER_ADDRESS", &["0"]),
        (
            "CEP_TRUSTED_PROXIES",
            &["proxy.example", "10.0.0.0/8,0.0.0.0/0"],
        ),
        ("CEP_REQUEST_RETENTION", &["0", "4000000000"]),
        ("CEP_ADMIN_LISTEN", &["9464"]),
        ("CEP_INSTANCE", &["two words", ""]),
        (
            "CEP_OTLP_ENDPOINT",
            &["collector:4317", "http://127.0.0.1:4318/v1/traces", ""],
        ),
        ("CEP_OTLP_HEADERS", &["Bearer"]),
        ("CEP_TRACE_RATIO", &["2", "NaN"]),
        ("CEP_LOG", &["cep=loud", "loud"]),
        ("CEP_LOG_FORMAT", &["xml"]),
    ] {
        for value in values {
            let folder = tempfile::tempdir().unwrap();
            let said = refusal(command(folder.path()).env(variable, value));
            assert!(said.contains(variable), "{variable}={value}: {said}");
            let is_shown = variable == "CEP_HMAC_SECRET" && said.contains(value);
            assert!(!is_shown, "the secret was shown: {said}");
            let left = folder.path().join("data");
            assert!(!left.exists(), "{variable}={value} left something behind");
        }
    }
}

/// The standard output of a command that succeeds without a server.
fn printed(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    // A variable that none of these commands uses stops none.
    let ran = command(folder.path())
        .env("CEP_BANK_BUDGET", "none")
        .args(arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn help_names_every_variable_in_groups_and_shows_commands_their_own_options_alone() {
    let flags = |help: &str| {
        let words = help.split_whitespace();
        let flags = words.filter(|word| word.starts_with("--") && !word.starts_with("--help"));
        flags.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let of = |command: &str| flags(&printed(&[command, "--help"]));
    assert_eq!(of("sandbox"), flags("--latency --listen"));
    assert_eq!(of("healthcheck"), flags("--listen"));
    assert!(of("migrate").len() < 10);
    let help = printed(&["--help"]);
    for heading in ["Server:", "Database and keys:", "Traces:", "Logs:"] {
        assert!(help.contains(heading), "{heading}");
    }
    // Headings mustn't leave anything behind but `--help` and `--version`.
    let (_, general) = help.split_once("\nOptions:\n").unwrap();
    let general = general.split("\n\n").next().unwrap();
    assert!(!general.contains("CEP_"), "{general}");

    let program = cep_gateway::cli::program();
    let flags = program.get_arguments();
    let flags: Vec<_> = flags.filter(|it| it.get_long().is_some()).collect();
    assert!(flags.len() > 15);
    for flag in flags {
        let name = flag.get_long().unwrap();
        let variable = format!("CEP_{}", name.to_uppercase().replace('-', "_"));
        assert_eq!(flag.get_env().unwrap(), variable.as_str());
        assert!(help.contains(&variable), "{variable}");
    }
}

#[test]
fn a_variable_that_a_command_does_not_use_does_not_stop_it() {
    printed(&["schema"]);
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
    let mut create = command(folder.path());
    create.args(["keys", "create", "--name", "a"]);
    create.env("CEP_HMAC_SECRET", "s".repeat(32));
    assert!(create.status().unwrap().success());
    let said = refusal(create.env_remove("CEP_HMAC_SECRET"));
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
    let log = gateway.log();
    let warned = log
        .lines()
        .find(|line| line.contains("keys that can't be checked"));
    // The key of the first start, and this one.
    assert!(
        warned.is_some_and(|line| line.contains(r#""keys":2"#)),
        "{log}"
    );
}

#[tokio::test]
async fn health_readiness_and_documents_are_served() {
    let gateway = Gateway::start();
    assert_eq!(gateway.get("/healthz").await.status(), 200);
    let ready = json_of(gateway.get("/readyz").await, 200).await;
    assert!(ready.to_string().contains("store"), "{ready}");
    let served = json_of(gateway.get("/openapi.json").await, 200).await;
    assert_eq!(served, gateway.says(&["openapi"]));
    let docs = gateway.get("/docs").await;
    assert_eq!(docs.status(), 200);
    let page = docs.text().await.unwrap();
    assert!(page.contains("swagger"), "{page}");
    let is_its_own = !page.contains("https://");
    assert!(is_its_own, "the page loads from elsewhere: {page}");
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
