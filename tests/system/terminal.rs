//! The log on a terminal and elsewhere: text with colours after the welcome, JSON in a file.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::gateway::{Plan, command, eventually};

/// Longer than a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Escape sequence that begins every colour.
const COLOUR: &str = "\u{1b}[";

/// A gateway whose standard output and error are one terminal.
struct OnTerminal {
    gateway: Child,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl OnTerminal {
    fn start(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&screen).unwrap();
        unlockpt(&screen).unwrap();
        let name = ptsname(&screen, Vec::new()).unwrap();
        let terminal = std::ffi::OsStr::from_bytes(name.as_bytes());
        let terminal = File::options().read(true).write(true).open(terminal);
        let terminal = terminal.unwrap();
        let gateway = command(folder)
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal)
            .spawn()
            .unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (mut screen, kept) = (File::from(screen), Arc::clone(&shown));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The terminal's end is an error.
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                kept.lock().unwrap().extend_from_slice(&bytes[..read]);
            }
        });
        Self { gateway, shown }
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Everything on the screen by the time that this is there.
    async fn until(&self, text: &str) -> String {
        eventually(text, PATIENCE, async || self.shown().contains(text)).await;
        self.shown()
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.gateway.kill();
        let _ = self.gateway.wait();
    }
}

#[tokio::test]
async fn on_a_terminal_the_welcome_comes_first_and_the_log_is_text_with_colours() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = OnTerminal::start(folder.path(), &[], &[]);
    let shown = gateway.until("cep_gateway::commands::serve").await;
    let (welcome, log) = shown.split_once("More keys:").unwrap();
    assert!(welcome.starts_with("The gateway listens on "), "{welcome}");
    for part_of_a_line in [COLOUR, "INFO", "WARN"] {
        assert!(!welcome.contains(part_of_a_line), "{welcome}");
        assert!(log.contains(part_of_a_line), "{log}");
    }
    assert!(!log.contains("\"level\""), "{log}");
}

#[tokio::test]
async fn a_start_that_fails_on_a_terminal_shows_its_log() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data"), "in the way").unwrap();
    let debug = ("CEP_LOG", "cep_gateway=debug");
    let variables = [debug, ("CEP_MAX_CONNECTIONS", "1000000")];
    let gateway = OnTerminal::start(folder.path(), &[], &variables);
    gateway.until("CEP_DATA_DIR").await;
}

#[tokio::test]
async fn the_format_that_is_set_is_the_format_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let gateway = OnTerminal::start(folder.path(), &[], &[("CEP_LOG_FORMAT", "json")]);
    let shown = gateway.until("\"message\":\"serving\"").await;
    assert!(!shown.contains(COLOUR), "{shown}");

    let in_a_file = Plan::new().with("CEP_LOG_FORMAT", "text").start();
    let serves = async || in_a_file.log().contains(" serving ");
    eventually("it serves", PATIENCE, serves).await;
    let log = in_a_file.log();
    assert!(!log.contains(COLOUR) && !log.contains("\"level\""), "{log}");
}

#[tokio::test]
async fn a_command_shows_its_output_alone_on_a_terminal_unless_its_log_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let create = ["keys", "create", "--name", "demo", "--env", "test"];
    let mut made = OnTerminal::start(folder.path(), &create, &[]);
    assert!(made.gateway.wait().unwrap().success());
    let shown = made.until("api_key").await;
    let lines: Vec<_> = shown.lines().filter(|line| !line.is_empty()).collect();
    let [line] = lines[..] else {
        panic!("more than the key: {shown}");
    };
    serde_json::from_str::<serde_json::Value>(line).unwrap();

    let wanted = [("CEP_LOG", "info")];
    let made = OnTerminal::start(folder.path(), &create, &wanted);
    made.until("cep::keys").await;
}
