//! The measured programs, as processes of their own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

/// A running program; it ends with this value.
pub(crate) struct Program {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From its start to the line that prints its address.
    pub(crate) started_in: Duration,
}

/// The gateway's program with its data in `folder`.
pub(crate) fn gateway_command(folder: &Path) -> Result<Command> {
    gateway_command_of(None, folder)
}

/// The gateway's program of another build, or of this one, with its data in `folder`.
pub(crate) fn gateway_command_of(program: Option<&Path>, folder: &Path) -> Result<Command> {
    let ours = std::env::current_exe()?.with_file_name("cep-gateway");
    let mut command = Command::new(program.unwrap_or(&ours));
    command
        .env_clear()
        .env("CEP_DATA_DIR", folder)
        .env("CEP_LISTEN", "127.0.0.1:0")
        // Metrics are recorded, as usual.
        .env("CEP_ADMIN_LISTEN", "127.0.0.1:0")
        .env("CEP_SANDBOX_IDENTITY_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::null());
    Ok(command)
}

pub(crate) fn baseline_command() -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("baseline");
    Ok(command)
}

impl Program {
    /// Starts it and waits until it prints its address.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let address = loop {
            let line = lines.next().context("it ended before it listened")??;
            let after = line.split_once("http://").map(|(_, rest)| rest);
            let address = after.and_then(|rest| rest.split([' ', '/']).next()?.parse().ok());
            if let Some(address) = address {
                break address;
            }
        };
        let started_in = started.elapsed();
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self {
            child,
            address,
            started_in,
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A number of kilobytes from the process's status: `VmRSS`, `VmHWM`.
    pub(crate) fn memory_kib(&self, field: &str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mut lines = status.lines();
        let value = lines.find_map(|line| line.strip_prefix(field));
        let words = value.context("no such field")?.split_whitespace();
        Ok({ words }.nth(1).context("no number")?.parse()?)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates a key without limits that matter.
pub(crate) fn key(folder: &Path, environment: &str) -> Result<String> {
    key_by(gateway_command(folder)?, environment)
}

/// Creates such a key by a command that runs the gateway's program.
pub(crate) fn key_by(mut command: Command, environment: &str) -> Result<String> {
    command.args(["keys", "create", "--name", "bench", "--env", environment]);
    let made = command
        .args(["--per-minute", "1000000", "--no-cap"])
        .output()?;
    let made: Value = serde_json::from_slice(&made.stdout)
        .with_context(|| String::from_utf8_lossy(&made.stderr).into_owned())?;
    Ok(made["api_key"].as_str().context("no api_key")?.to_owned())
}
