//! Two gateways on one machine: they differ in address and data folder alone, because the other
//! listeners give way where nobody chose their ports.

use std::ffi::OsStr;
use std::time::Duration;

use cep_gateway::cli;
use reqwest::StatusCode;

use crate::documents::ENVIRONMENT;
use crate::gateway::{Gateway, Plan, command, eventually, refusal};

/// Longer than a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Address of the sandbox identity provider, from the welcome.
async fn identity_provider(gateway: &Gateway) -> String {
    let found = || {
        let printed = gateway.printed();
        let (_, rest) = printed.split_once("identity provider at http://")?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    let is_named = async || found().is_some();
    eventually("it names its provider", PATIENCE, is_named).await;
    found().unwrap()
}

async fn metrics(gateway: &Gateway) -> String {
    let admin = gateway.admin_url("").await;
    admin.trim_start_matches("http://").to_owned()
}

#[tokio::test]
async fn a_port_that_nobody_chose_gives_way_and_one_that_was_set_is_an_error() {
    let first = Gateway::start();
    let (admin, provider) = (metrics(&first).await, identity_provider(&first).await);

    let taken = [
        ("CEP_ADMIN_LISTEN", &admin),
        ("CEP_SANDBOX_IDENTITY_LISTEN", &provider),
    ];
    let or_free = taken.map(|(variable, taken)| (variable, format!("{taken} or a free port")));
    let second = Plan::new().with_all(or_free).start();
    assert_ne!(metrics(&second).await, admin);
    assert_ne!(identity_provider(&second).await, provider);
    let printed = second.printed();
    for (variable, taken) in taken {
        let taken = format!("{taken} is taken");
        let note = printed.lines().find(|line| line.contains(&taken));
        let is_told = note.is_some_and(|note| note.contains(variable));
        assert!(is_told, "{printed}");
    }
    for gateway in [&first, &second] {
        let key = gateway.roomy_key();
        assert_eq!(gateway.status_of(&key).await, StatusCode::OK);
        let metrics = gateway.admin_url("/metrics").await;
        let metrics = gateway.client.get(metrics).send().await.unwrap();
        assert_eq!(metrics.status(), StatusCode::OK);
        let page = gateway.get("/login").await;
        assert_eq!(page.status(), StatusCode::OK);
        let (provider, url) = (identity_provider(gateway).await, page.url());
        assert!(url.as_str().contains(&provider), "{url} isn't {provider}");
    }

    let address = first.address.to_string();
    for (variable, taken) in taken.into_iter().chain([("CEP_LISTEN", &address)]) {
        let folder = tempfile::tempdir().unwrap();
        let said = refusal(command(folder.path()).env(variable, taken));
        assert!(said.contains(variable) && said.contains(taken), "{said}");
        let needs_a_port = variable != "CEP_ADMIN_LISTEN";
        assert!(needs_a_port || said.contains("`off`"), "{said}");
    }
}

/// Options of `serve` whose default is a port, with the default.
fn default_ports() -> Vec<(String, String)> {
    let program = cli::program();
    let options = program.get_arguments().filter_map(|option| {
        let default = option.get_default_values().first()?.to_str()?;
        let address = default.split(' ').next()?;
        let port = address.parse::<std::net::SocketAddr>().ok()?.port();
        let variable = option.get_env()?.to_str()?;
        (port != 0).then(|| (variable.to_owned(), default.to_owned()))
    });
    options.collect()
}

#[test]
fn default_ports_are_on_loopback_and_the_one_that_callers_know_alone_is_a_demand() {
    let ports = default_ports();
    assert!(ports.len() >= 3, "{ports:?}");
    for (variable, default) in ports {
        assert!(default.starts_with("127.0.0.1:"), "{variable}: {default}");
        let gives_way = default.ends_with(" or a free port");
        assert_eq!(gives_way, variable != "CEP_LISTEN", "{variable}");
    }
}

/// A gateway that a person runs on the usual ports mustn't make a test fail.
#[test]
fn no_gateway_of_the_tests_uses_a_default_port() {
    let folder = tempfile::tempdir().unwrap();
    let command = command(folder.path());
    let of_plans: Vec<_> = command.get_envs().collect();
    for (variable, _) in default_ports() {
        let set = (&*variable, "127.0.0.1:0");
        let by_plans = (OsStr::new(set.0), Some(OsStr::new(set.1)));
        assert!(of_plans.contains(&by_plans), "{variable}");
        assert!(ENVIRONMENT.contains(&set), "{variable}");
    }
    // Nothing else starts the program.
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let program = concat!("CARGO_BIN_EXE", "_cep-gateway");
    let starting: Vec<_> = testkit::files_under(&tests)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|it| it == "rs"))
        .filter(|file| std::fs::read_to_string(file).unwrap().contains(program))
        .map(|file| file.strip_prefix(&tests).unwrap().to_owned())
        .collect();
    let known = ["system/documents/shell.rs", "system/gateway/plan.rs"];
    assert_eq!(starting, known.map(std::path::PathBuf::from));
}
