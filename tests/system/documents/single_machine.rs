//! `docs/single-machine.md`: secret, settings, keys, health, a backup and its restore, in a folder
//! instead of the system's paths.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::page::{Block, Page};
use super::shell::{Server, Shell};

/// Paths of the system, and their replacements in the shell's folder.
const PLACES: [(&str, &str); 5] = [
    ("/etc/cep-gateway", "etc"),
    ("/var/lib/cep-gateway-backups", "backups"),
    ("/var/lib/cep-gateway", "state"),
    ("/usr/local/lib/cep-gateway/", "deploy/systemd/"),
    // There is no such user: the user of the test takes its place.
    ("runuser -u cep-gateway -- ", ""),
];

/// The unit's variables. The settings file is the page's own.
const SERVE: &str = "CEP_DATA_DIR=$PWD/state CEP_HMAC_SECRET_FILE=$PWD/etc/hmac_secret \
     CEP_STORE_SECRET_FILE=$PWD/etc/store_secret CEP_DASHBOARD=off cep-gateway serve 2>> gateway.log";

#[test]
fn one_machine_with_systemd() {
    let Some(mut shell) = Shell::open(&["curl", "flock", "openssl", "sqlite3"]) else {
        return;
    };
    let mut page = Page::open("docs/single-machine.md");
    let secret = here(page.next("User, secrets, settings"));
    let secret = secret.replace("-g cep-gateway ", "");
    shell.run(&secret);
    let permissions = |shell: &Shell, name: &str| {
        let file = fs::metadata(shell.file(name)).unwrap();
        file.permissions().mode() & 0o777
    };
    assert_eq!(permissions(&shell, "etc"), 0o750);
    let secrets = ["etc/hmac_secret", "etc/store_secret"];
    assert_eq!(secrets.map(|name| permissions(&shell, name)), [0o640; 2]);
    let read = |shell: &Shell| secrets.map(|name| fs::read(shell.file(name)).unwrap());
    let drawn = read(&shell);
    assert_ne!(drawn[0], drawn[1]);
    shell.refused(&secret);
    assert_eq!(read(&shell), drawn);

    let server = shell.serve(SERVE);
    let printed = shell.run(&here(page.next("First key")));
    let made: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
    let id = made["id"].as_str().unwrap().to_owned();
    assert!(printed.contains(&format!("\n{id} ")), "{printed}");
    assert!(printed.contains(" 0 used, 1000 left this month  active  accounting"));

    health(&mut shell, &server, page.next("Health"));

    let said = shell.run(&here(page.next("Backups")));
    assert!(said.trim_end().ends_with(".db is sound"), "{said}");
    assert_eq!(permissions(&shell, "backups"), 0o700);
    shell.run(&format!("cep keys revoke {id}"));
    let restore = here(page.next("Backups"));
    let refused = shell.refused(&restore);
    assert!(refused.contains("failed to get lock"), "{refused}");
    assert!(shell.run("cep keys list").contains("  revoked "));
    shell.stop(&server);
    fs::write(shell.file("backups/empty.db"), "").unwrap();
    for other in ["missing", "empty"] {
        let backup = format!("backup=backups/{other}.db\n");
        let (_, check) = restore.split_once('\n').unwrap();
        shell.refused(&(backup + check));
        assert!(shell.run("cep keys list").contains("  revoked "));
    }
    shell.run(&restore);
    let ended = shell.run(&here(page.next("Backups")));
    assert!(ended.contains("Every person is signed out"), "{ended}");
    assert!(!shell.run("cep keys list").contains("  revoked "));
    page.finish();
}

/// The page queries the addresses of its settings; the test's gateway has others.
fn health(shell: &mut Shell, server: &Server, block: Block) {
    let printed = server.printed();
    let mut lines = printed.lines();
    let admin = lines.find_map(|line| line.strip_prefix("Metrics are at "));
    let asked = block
        .with(
            "cep-gateway healthcheck",
            &format!("CEP_LISTEN={} cep-gateway healthcheck", server.address),
        )
        .with("127.0.0.1:8080", &server.address.to_string())
        .with("http://127.0.0.1:9464/metrics", admin.unwrap());
    let said = shell.run(&asked.text);
    assert!(said.contains(r#""status":"ready""#), "{said}");
    assert!(said.contains("\ncep_build_info{") || said.contains("}cep_build_info{"));
}

/// A block's commands in the shell's folder.
fn here(block: Block) -> String {
    PLACES
        .iter()
        .fold(block.text, |text, (place, here)| text.replace(place, here))
}
