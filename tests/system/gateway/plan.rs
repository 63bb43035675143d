//! Start of a gateway by a test.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::{Gateway, client};

/// A gateway that is to be started.
pub(crate) struct Plan {
    folder: TempDir,
    variables: Vec<(String, String)>,
    descriptors: Option<u32>,
}

impl Plan {
    pub(crate) fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn in_folder(folder: TempDir) -> Self {
        Self {
            folder,
            variables: Vec::new(),
            descriptors: None,
        }
    }

    /// Lets it open at most this many files and sockets at once.
    pub(crate) fn with_descriptors(mut self, most: u32) -> Self {
        self.descriptors = Some(most);
        self
    }

    pub(crate) fn with(mut self, variable: &str, value: impl fmt::Display) -> Self {
        self.variables
            .push((variable.to_owned(), value.to_string()));
        self
    }

    /// Sets these variables.
    pub(crate) fn with_all<N: AsRef<str>, V: fmt::Display>(
        self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter();
        variables.fold(self, |plan, (name, value)| plan.with(name.as_ref(), value))
    }

    pub(crate) fn start(self) -> Gateway {
        self.try_start()
            .unwrap_or_else(|log| panic!("the gateway ended before it listened: {log}"))
    }

    /// Starts it.
    ///
    /// # Errors
    /// Its log, when it ended before it listened.
    pub(crate) fn try_start(self) -> Result<Gateway, String> {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("log"))
            .unwrap();
        let mut command = match self.descriptors {
            None => command(self.folder.path()),
            Some(most) => {
                let mut shell = Command::new("sh");
                // The hard limit: the gateway raises the other one to it.
                let limited = format!("ulimit -n {most} && exec \"$0\"");
                shell.arg("-c").arg(limited).arg(binary());
                in_folder(shell, self.folder.path())
            }
        };
        let mut child = command
            .envs(self.variables.iter().cloned())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let printed = Arc::new(Mutex::new(String::new()));
        let address = loop {
            let Some(line) = lines.next().transpose().unwrap() else {
                child.wait().unwrap();
                return Err(std::fs::read_to_string(self.folder.path().join("log")).unwrap());
            };
            let address = line
                .split_once("http://")
                .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
            if let Some(address) = address {
                break address;
            }
        };
        // The rest of the greeting; the pipe must not fill up either.
        let rest = Arc::clone(&printed);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                rest.lock().unwrap().extend([line.as_str(), "\n"]);
            }
        });
        Ok(Gateway {
            child,
            address,
            folder: self.folder,
            client: client(),
            printed,
            variables: self.variables,
        })
    }
}

/// The program with nothing of this environment's settings, and its data in `folder`.
pub(crate) fn command(folder: &Path) -> Command {
    in_folder(Command::new(binary()), folder)
}

/// The words on the standard error of a command that fails.
pub(crate) fn refusal(command: &mut Command) -> String {
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success(), "it isn't refused: {command:?}");
    said
}

/// Path of the program under test. `CEP_TEST_BINARY` names another one, to compare versions.
#[expect(
    clippy::disallowed_methods,
    reason = "which program is tested is no setting of the program"
)]
fn binary() -> OsString {
    std::env::var_os("CEP_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_cep-gateway").into())
}

fn in_folder(mut command: Command, folder: &Path) -> Command {
    command
        .env_clear()
        .env("CEP_DATA_DIR", folder.join("data"))
        // Many gateways run at the same time here, and perhaps one on the usual ports.
        .env("CEP_LISTEN", "127.0.0.1:0")
        .env("CEP_ADMIN_LISTEN", "127.0.0.1:0")
        .env("CEP_SANDBOX_IDENTITY_LISTEN", "127.0.0.1:0")
        .current_dir(folder);
    command
}
