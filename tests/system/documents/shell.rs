//! A shell session of a reader: one bash, in a folder laid out like a checkout, that runs what is
//! pasted.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use reqwest::Client;
use serde_json::Value;
use tempfile::TempDir;
use testkit::until;

use crate::embedded::programs::installed;
use crate::gateway::{Key, client};

/// Deadline of a block. Each takes less than a second on an idle machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// Environment of every shell: servers listen on free ports, and the bank's portal is out of reach
/// whatever a page does.
pub(crate) const ENVIRONMENT: [(&str, &str); 8] = [
    ("CEP_LISTEN", "127.0.0.1:0"),
    ("CEP_ADMIN_LISTEN", "127.0.0.1:0"),
    ("CEP_SANDBOX_IDENTITY_LISTEN", "127.0.0.1:0"),
    ("CEP_BANK_URL", "http://127.0.0.1:9/cep"),
    ("CEP_RETRY_SCALE", "0.02"),
    // A machine that runs all tests at once may be slow.
    ("CEP_DATABASE_TIMEOUT", "20"),
    ("CEP_REDIS_TIMEOUT", crate::fleet::PATIENT),
    ("LANG", "C.UTF-8"),
];

/// Takes the place of `cargo`: a build would take minutes, and the tests have built the program already.
const CARGO: &str = r#"#!/bin/sh
[ "$1" = run ] || { echo "only 'cargo run' is known here" >&2; exit 64; }
shift
[ "${1:-}" != --release ] || shift
[ "${1:-}" != -- ] || shift
exec cep-gateway "$@"
"#;

/// Parts of the project that pages name; they are copied, because some of it is written to.
const PARTS: [&str; 3] = ["deploy", "docs", "schema.graphql"];

/// A shell. Its child processes end with it.
pub(super) struct Shell {
    bash: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    folder: TempDir,
    blocks: u32,
    client: Client,
    /// Process ids of the serving gateways.
    serving: Vec<u32>,
}

/// A gateway that the shell has started.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) client: Client,
    /// The shell's job, and the gateway's process in it.
    job: u32,
    process: u32,
    printed: PathBuf,
    log: PathBuf,
}

impl Server {
    pub(super) fn printed(&self) -> String {
        fs::read_to_string(&self.printed).unwrap()
    }

    /// Warnings and errors in the logs, its own and others'.
    pub(super) fn complaints(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let is_complaint = |line: &&str| !line.contains(r#""level":"INFO""#);
        let complaints: Vec<_> = log.lines().filter(is_complaint).collect();
        complaints.join("\n")
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Shell {
    /// Opens a shell; `None`, after printing it, where one of these programs isn't installed.
    pub(super) fn open(programs: &[&str]) -> Option<Self> {
        if !installed(programs) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        lay_out(folder.path());
        let said = fs::File::create(folder.path().join("said")).unwrap();
        // The folder's own programs, then those of any system.
        let own = folder.path().join("bin").display().to_string();
        let path = format!("{own}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        let mut bash = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .env_clear()
            .envs(ENVIRONMENT)
            .env("PATH", path)
            .env("HOME", folder.path())
            .current_dir(folder.path().join("checkout"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said)
            .spawn()
            .unwrap();
        let (tell, answers) = channel();
        let lines = BufReader::new(bash.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let mut shell = Self {
            input: bash.stdin.take().unwrap(),
            bash,
            answers,
            folder,
            blocks: 0,
            client: client(),
            serving: Vec::new(),
        };
        shell.run("set -euo pipefail");
        Some(shell)
    }

    /// A file of the shell's folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("checkout").join(name)
    }

    /// Runs commands, which must succeed, and returns what they print.
    pub(super) fn run(&mut self, text: &str) -> String {
        self.attempt(text)
            .unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Runs commands, which must succeed and print JSON.
    pub(super) fn json(&mut self, text: &str) -> Value {
        serde_json::from_str(&self.run(text)).unwrap()
    }

    /// Runs commands, and returns what they print, or an account of their failure, which ends the shell.
    pub(super) fn attempt(&mut self, text: &str) -> Result<String, String> {
        let [script, output, errors] = self.write(text);
        let line = format!(". {script} </dev/null >{output} 2>{errors}; echo");
        self.ask(&line, text)?;
        Ok(fs::read_to_string(output).unwrap())
    }

    /// Runs commands, which must fail, and returns their messages.
    pub(super) fn refused(&mut self, text: &str) -> String {
        let [script, output, errors] = self.write(text);
        let line = format!(
            "set +e; ( set -e; . {script} ) </dev/null >{output} 2>{errors}; echo $?; set -e"
        );
        let status = self.ask(&line, text).unwrap();
        assert_ne!(status, "0", "this must fail:\n{text}");
        fs::read_to_string(errors).unwrap()
    }

    pub(super) fn set(&mut self, variables: &[(&str, &str)]) {
        for (name, value) in variables {
            assert!(!value.contains('\''), "{value}");
            self.run(&format!("export {name}='{value}'"));
        }
    }

    /// Makes a `test` key; the command's log goes to the gateway's.
    pub(super) fn key(&mut self) -> Key {
        let create = "cep-gateway keys create --name test --env test --per-minute 100000";
        Key::read(&self.json(&format!("{create} 2>> gateway.log")))
    }

    /// Starts a gateway by commands that end with it, and returns when it listens and has printed
    /// its welcome.
    pub(super) fn serve(&mut self, text: &str) -> Server {
        let [script, output, errors] = self.write(text);
        let line = format!("( . {script} ) </dev/null >{output} 2>{errors} & echo $!");
        let job: u32 = self.ask(&line, text).unwrap().parse().unwrap();
        self.serving.push(job);
        let mut address = None;
        until("the gateway listens", || {
            let ended = !Path::new(&format!("/proc/{job}")).exists();
            let printed = fs::read_to_string(&output).unwrap();
            // The line about metrics is the last one of a start, except for the first key's.
            let is_whole = printed.contains("\nMetrics are at ")
                && printed.contains("first start") == printed.contains("More keys:");
            address = printed
                .split_once("listens on http://")
                .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
            assert!(
                !ended,
                "the gateway ended: {printed}{}{}",
                fs::read_to_string(&errors).unwrap(),
                fs::read_to_string(self.file("gateway.log")).unwrap_or_default(),
            );
            is_whole && address.is_some()
        });
        let made = fs::read_to_string(format!("/proc/{job}/task/{job}/children")).unwrap();
        let process = made.split_whitespace().next();
        // A shell that has nothing else to do becomes its last command.
        let process = process.map_or(job, |process| process.parse().unwrap());
        self.serving.push(process);
        Server {
            address: address.expect("it was waited for"),
            client: self.client.clone(),
            job,
            process,
            printed: output.into(),
            log: self.file("gateway.log"),
        }
    }

    /// Stops a gateway, and returns once it has ended well.
    pub(super) fn stop(&mut self, server: &Server) {
        let Server { job, process, .. } = *server;
        self.run(&format!("kill -s TERM {process}; wait {job}"));
        self.serving.retain(|id| ![job, process].contains(id));
    }

    /// Writes commands into a file, and returns the paths of it and of its output files.
    fn write(&mut self, text: &str) -> [String; 3] {
        assert!(!text.contains('…'), "what stands for it?\n{text}");
        self.blocks += 1;
        let number = self.blocks;
        let names = ["sh", "out", "err"].map(|kind| {
            let name = self.folder.path().join(format!("{number}.{kind}"));
            fs::write(&name, "").unwrap();
            name.to_str().unwrap().to_owned()
        });
        fs::write(&names[0], text).unwrap();
        names
    }

    /// Has the shell run a line, and returns its status line, or the output when it ends instead.
    fn ask(&mut self, line: &str, text: &str) -> Result<String, String> {
        let written = writeln!(self.input, "{line}");
        let answer = written
            .map_err(|_| RecvTimeoutError::Disconnected)
            .and_then(|()| self.answers.recv_timeout(PATIENCE));
        answer.map_err(|error| {
            let number = self.blocks;
            let names = [&*format!("{number}.out"), &format!("{number}.err"), "said"];
            let [printed, said, log] = names.map(|name| {
                let file = self.folder.path().join(name);
                fs::read_to_string(file).unwrap_or_default()
            });
            let outcome = match error {
                RecvTimeoutError::Disconnected => "this fails",
                RecvTimeoutError::Timeout => "this doesn't end",
            };
            format!("{outcome}:\n{text}\nIt printed:\n{printed}\nIt said:\n{said}{log}")
        })
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // The job first: it would do the rest of its block.
        for process in &self.serving {
            let _ = Command::new("sh")
                .args(["-c", "kill -s KILL \"$0\"", &process.to_string()])
                .stderr(Stdio::null())
                .status();
        }
        let _ = self.bash.kill();
        let _ = self.bash.wait();
    }
}

/// Lays out a folder like a checkout in which the program was built.
fn lay_out(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_BIN_EXE_cep-gateway"));
    let (checkout, programs) = (folder.join("checkout"), folder.join("bin"));
    let built = ["release", "dist"].map(|profile| checkout.join("target").join(profile));
    for place in [&built[0], &built[1], &programs] {
        fs::create_dir_all(place).unwrap();
        symlink(program, place.join("cep-gateway")).unwrap();
    }
    let cargo = programs.join("cargo");
    fs::write(&cargo, CARGO).unwrap();
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp")
        .arg("-R")
        .args(PARTS.map(|part| root.join(part)))
        .arg(&checkout)
        .status();
    assert!(copied.unwrap().success());
    // A developer's own secrets are left out.
    let _ = fs::remove_dir_all(checkout.join("deploy/secrets"));
    let _ = fs::remove_file(checkout.join("deploy/.env"));
}
