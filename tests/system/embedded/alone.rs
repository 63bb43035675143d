//! Commands, with and without a gateway beside them: the write-ahead log after them.

use std::path::Path;
use std::process::Output;

use super::round::files;
use crate::gateway::{Gateway, Key, command};

const UNKNOWN: &str = "0198f3c2-0000-7000-8000-000000000000";

/// The arguments of commands; `KEY` stands for the id of an existing key.
const COMMANDS: [&[&str]; 7] = [
    &["keys", "create", "--name", "other", "--env", "test"],
    &["keys", "list"],
    &["keys", "set-limits", "KEY", "--per-minute", "1"],
    &["keys", "revoke", "KEY"],
    &["migrate"],
    &["keys", "revoke", UNKNOWN],
    &["keys", "set-limits", UNKNOWN, "--per-minute", "1"],
];

/// Runs one of the commands, which fails for an unknown key.
fn run(folder: &Path, arguments: &[&str], key: &str) -> Output {
    let replaced = arguments
        .iter()
        .map(|it| if *it == "KEY" { key } else { it });
    let ran = command(folder).args(replaced).output().unwrap();
    let succeeds = !arguments.contains(&UNKNOWN);
    assert_eq!(ran.status.success(), succeeds, "{ran:?}");
    ran
}

#[test]
fn a_command_alone_leaves_no_log_behind() {
    for arguments in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let leaves_no_log = |which: &str| {
            let [database, log, index] = files(&folder.path().join("data"))[..] else {
                panic!("three files are looked at");
            };
            assert!(database.is_some(), "after {which}");
            assert_eq!((log, index), (None, None), "after {which}");
        };
        let made = run(folder.path(), COMMANDS[0], "");
        let key = Key::read(&serde_json::from_slice(&made.stdout).unwrap());
        leaves_no_log("the command that made the database");
        run(folder.path(), arguments, &key.id);
        leaves_no_log(&arguments.join(" "));
    }
}

#[test]
fn commands_beside_a_gateway_keep_its_files() {
    let gateway = Gateway::start();
    let key = gateway.key(&[]);
    let data = gateway.folder().join("data");
    let before = files(&data);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    for arguments in COMMANDS {
        run(gateway.folder(), arguments, &key.id);
        assert_eq!(files(&data), before, "{arguments:?}");
    }
}
