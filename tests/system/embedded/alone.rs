//! Commands, with and without a gateway beside them: the write-ahead log after them.

use std::path::Path;
use std::process::Output;

use rstest::rstest;
use serde_json::Value;

use super::round::files;
use crate::gateway::{Gateway, command};

const UNKNOWN: &str = "0198f3c2-0000-7000-8000-000000000000";

/// A command's arguments; `KEY` stands for the id of an existing key.
type Arguments = &'static [&'static str];

#[rstest]
#[case::create(&["keys", "create", "--name", "other", "--env", "test"], true)]
#[case::list(&["keys", "list"], true)]
#[case::set_limits(&["keys", "set-limits", "KEY", "--per-minute", "1"], true)]
#[case::revoke(&["keys", "revoke", "KEY"], true)]
#[case::migrate(&["migrate"], true)]
#[case::revoke_unknown(&["keys", "revoke", UNKNOWN], false)]
#[case::limit_unknown(&["keys", "set-limits", UNKNOWN, "--per-minute", "1"], false)]
fn a_command_alone_leaves_no_log_behind(#[case] arguments: Arguments, #[case] succeeds: bool) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let key = made(&run(
        folder.path(),
        &["keys", "create", "--name", "a", "--env", "test"],
    ));
    leaves_no_log(&data, "the command that made the database");
    let ran = run(folder.path(), &with_key(arguments, &key));
    assert_eq!(ran.status.success(), succeeds, "{ran:?}");
    leaves_no_log(&data, arguments[0]);
}

#[test]
fn commands_beside_a_gateway_keep_its_files() {
    let gateway = Gateway::start();
    let key = gateway.key(&[]);
    let data = gateway.folder().join("data");
    let before = files(&data);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    let commands: [Arguments; 6] = [
        &["keys", "create", "--name", "other", "--env", "test"],
        &["keys", "list"],
        &["keys", "set-limits", "KEY", "--per-minute", "1"],
        &["keys", "revoke", "KEY"],
        &["keys", "revoke", UNKNOWN],
        &["migrate"],
    ];
    for arguments in commands {
        let ran = gateway.run(&with_key(arguments, &key.id));
        assert_eq!(
            ran.status.success(),
            !arguments.contains(&UNKNOWN),
            "{ran:?}"
        );
        assert_eq!(files(&data), before, "{arguments:?}");
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().unwrap()
}

/// The id of the key that a command created.
fn made(ran: &Output) -> String {
    assert!(ran.status.success(), "{ran:?}");
    let made: Value = serde_json::from_slice(&ran.stdout).unwrap();
    made["id"].as_str().unwrap().to_owned()
}

fn with_key<'a>(arguments: &[&'a str], key: &'a str) -> Vec<&'a str> {
    let arguments = arguments.iter();
    let replaced = arguments.map(|argument| if *argument == "KEY" { key } else { *argument });
    replaced.collect()
}

fn leaves_no_log(data: &Path, which: &str) {
    let [database, log, index] = files(data)[..] else {
        panic!("three files are looked at");
    };
    assert!(database.is_some(), "after {which}");
    assert_eq!((log, index), (None, None), "after {which}");
}
