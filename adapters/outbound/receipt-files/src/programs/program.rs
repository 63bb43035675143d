//! A program, and those that confine it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// Places of programs, without those that users may write to.
const PLACES: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"];
/// Bounds of the process: memory, seconds of a processor, open files, files that it writes and dumps of its memory.
/// Tesseract's models take half of the memory.
const BOUNDS: [&str; 5] = [
    "--as=805306368",
    "--cpu=20",
    "--nofile=64",
    "--fsize=0",
    "--core=0",
];
/// A user and a network of its own, without any interface.
const ALONE: [&str; 3] = ["--user", "--map-current-user", "--net"];
/// Maximum time of a trial.
const TRIAL: Duration = Duration::from_secs(2);

/// A program, with those that confine it.
#[derive(Debug)]
pub(crate) struct Program {
    path: Option<PathBuf>,
    prlimit: Option<PathBuf>,
    unshare: Option<PathBuf>,
    nothing: Option<PathBuf>,
    /// What is written before the program's path.
    before: OnceCell<Vec<OsString>>,
}

impl Program {
    /// Looks for a program of the system by its name; or takes the one at a path.
    pub(crate) fn find(name: &str, path: Option<PathBuf>) -> Self {
        let path = match path {
            Some(path) => Some(path).filter(|path| path.is_absolute() && path.is_file()),
            None => find(name),
        };
        Self {
            path,
            prlimit: find("prlimit"),
            unshare: find("unshare"),
            nothing: find("true"),
            before: OnceCell::new(),
        }
    }

    /// The program with these arguments, confined as far as the system allows; `None` if it isn't installed.
    pub(crate) async fn command(&self, arguments: &[&str]) -> Option<Command> {
        let path = self.path.as_ref()?;
        let before = self.before.get_or_init(|| self.confine()).await;
        let mut words = before.iter().map(OsString::as_os_str);
        let mut command = Command::new(words.next().unwrap_or(path.as_os_str()));
        command.args(words);
        if !before.is_empty() {
            command.arg(path);
        }
        command
            .args(arguments)
            .env_clear()
            // Threads of one picture would take the processors of the others.
            .env("OMP_THREAD_LIMIT", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        Some(command)
    }

    /// Finds out which of the means to confine a process work here: containers often forbid some.
    async fn confine(&self) -> Vec<OsString> {
        let mut before = Vec::new();
        let network: Vec<&str> = ALONE.into_iter().chain(["--"]).collect();
        for (program, arguments) in [(&self.unshare, &network[..]), (&self.prlimit, &BOUNDS)] {
            let (Some(program), Some(nothing)) = (program, &self.nothing) else {
                continue;
            };
            let mut tried = before.clone();
            tried.push(program.clone().into_os_string());
            tried.extend(arguments.iter().map(OsString::from));
            if works(&tried, nothing).await {
                before = tried;
            }
        }
        before
    }
}

/// Returns `true` if a program that does nothing succeeds behind these words.
async fn works(before: &[OsString], nothing: &Path) -> bool {
    let [program, arguments @ ..] = before else {
        return true;
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(nothing)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let ended = timeout(TRIAL, command.status()).await;
    ended.is_ok_and(|status| status.is_ok_and(|status| status.success()))
}

fn find(name: &str) -> Option<PathBuf> {
    let paths = PLACES.iter().map(|place| Path::new(place).join(name));
    paths.into_iter().find(|path| path.is_file())
}
