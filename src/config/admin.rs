//! Options of operators: the listener for metrics, and the name of the process.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use uuid::Uuid;

use super::heading;
use super::listen::Listen;
use crate::system::process_id;

/// The listener for metrics, and the name of the process.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::ADMIN)]
pub struct AdminOptions {
    /// Address of `/metrics`, for Prometheus; `off` serves none. It asks nobody who they are: keep
    /// it where operators alone reach it.
    #[arg(
        long,
        env = "CEP_ADMIN_LISTEN",
        value_name = "ADDR",
        default_value = "127.0.0.1:9464 or a free port"
    )]
    pub admin_listen: AdminAddress,

    /// Name of this process in logs, metrics and traces, such as its pod's: 1 to 64 letters, digits,
    /// `.`, `_` or `-`. A random one when it is not given.
    #[arg(long, env = "CEP_INSTANCE", value_name = "NAME")]
    pub instance: Option<InstanceName>,
}

impl AdminOptions {
    /// Gives the process a random name, unless it was given one.
    pub(crate) fn name_process(&mut self) -> &InstanceName {
        self.instance
            .get_or_insert_with(|| InstanceName::of(process_id()))
    }
}

/// Address of the listener for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminAddress {
    /// It listens here.
    On(Listen),
    /// There is none.
    Off,
}

impl FromStr for AdminAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        text.parse().map(Self::On).map_err(|_: String| {
            "must be an IP address and a port, for example 127.0.0.1:9464, or `off`".to_owned()
        })
    }
}

/// Name of one process among its replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceName(String);

/// Longest name; pods' names have up to 63 characters.
const MAX_LENGTH: usize = 64;

impl InstanceName {
    /// Name of a process that was given none.
    pub fn of(process: Uuid) -> Self {
        Self(process.to_string())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for InstanceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sane = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(sane) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "must be 1 to {MAX_LENGTH} letters, digits, `.`, `_` or `-`"
            ))
        }
    }
}

impl fmt::Display for InstanceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
