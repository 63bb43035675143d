//! The command line: every option is a flag and a `CEP_*` variable.

use std::error::Error;
use std::net::SocketAddr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgGroup, CommandFactory, FromArgMatches, Parser, Subcommand};
use domain::key::Environment;
use uuid::Uuid;

use crate::config::{self, Options};

/// The gateway for electronic payment proofs (CEP) of SPEI transfers.
///
/// Without a command it serves: SQLite under `data/`, a sandbox bank for `test` keys, a dashboard
/// with a sandbox identity provider, and on the first start a `test` key with a line to try it.
#[derive(Debug, Parser)]
#[command(name = "cep-gateway", version, max_term_width = 100)]
pub struct Cli {
    /// What to do; `serve` when nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options, which every command shares.
    #[command(flatten)]
    pub options: Options,
}

impl Cli {
    /// Whether it is to serve.
    pub(crate) fn serves(&self) -> bool {
        matches!(self.command, None | Some(Command::Serve { .. }))
    }
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API (the default).
    Serve {
        /// Address to serve on; read from `CEP_LISTEN` when it is not given here.
        #[arg(long = "listen", id = "serve_listen", value_name = "ADDR")]
        listen: Option<SocketAddr>,
    },
    /// Make, list, change and revoke API keys; works while the server runs.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Bring the database to the schema of this version. Replicas refuse to start before that; the
    /// embedded database needs no such step.
    Migrate,
    /// Run the sandbox bank alone, for any client of the real portal.
    Sandbox {
        /// Address to listen on.
        #[arg(
            long = "listen",
            id = "sandbox_command_listen",
            value_name = "ADDR",
            default_value = "127.0.0.1:8090"
        )]
        listen: SocketAddr,
        /// Milliseconds that each lookup takes.
        #[arg(
            long = "latency",
            id = "sandbox_command_latency",
            value_name = "MS",
            default_value_t = 0
        )]
        latency: u64,
    },
    /// Ask the gateway that serves on this machine's `CEP_LISTEN` whether it is up; fails when it
    /// isn't.
    Healthcheck,
    /// Print the OpenAPI document.
    Openapi,
    /// Print the schema of the GraphQL API.
    Schema,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key and print it as one JSON object; its secret is shown this once.
    Create {
        /// Label of the key, 1 to 100 characters.
        #[arg(long)]
        name: String,
        /// `live` asks the central bank's portal, `test` the sandbox.
        #[arg(long, default_value = "live", value_parser = config::environment)]
        env: Environment,
        /// Requests allowed in any 60 seconds.
        #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = config::per_minute())]
        per_minute: Option<u32>,
        /// Requests allowed in a calendar month (UTC).
        #[arg(long, value_name = "N", conflicts_with = "no_cap", allow_negative_numbers = true, value_parser = config::monthly_quota())]
        monthly_quota: Option<u64>,
        /// No monthly quota.
        #[arg(long)]
        no_cap: bool,
    },
    /// List all keys, newest first.
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key; there is no way back. Takes effect in a running server within a second.
    Revoke {
        /// Id of the key.
        id: Uuid,
    },
    /// Change a key's limits. Takes effect in a running server within a second.
    #[command(name = "set-limits", group = ArgGroup::new("change").required(true).multiple(true))]
    SetLimits {
        /// Id of the key.
        id: Uuid,
        /// Requests allowed in any 60 seconds.
        #[arg(long, value_name = "N", group = "change", allow_negative_numbers = true, value_parser = config::per_minute())]
        per_minute: Option<u32>,
        /// Requests allowed in a calendar month (UTC).
        #[arg(long, value_name = "N", group = "change", conflicts_with = "no_cap", allow_negative_numbers = true, value_parser = config::monthly_quota())]
        monthly_quota: Option<u64>,
        /// No monthly quota.
        #[arg(long, group = "change")]
        no_cap: bool,
    },
}

/// Reads the command line and the environment, or prints what is wrong with them and exits.
pub fn parse() -> Cli {
    parse_from(std::env::args_os()).unwrap_or_else(|error| error.exit())
}

/// Reads these arguments and the environment.
///
/// # Errors
/// clap's, which names the variable besides the flag when a value is wrong.
pub fn parse_from(
    arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command
        .try_get_matches_from_mut(arguments)
        .map_err(|error| name_variable(error, &command))?;
    let mut cli =
        Cli::from_arg_matches(&matches).map_err(|error| name_variable(error, &command))?;
    cli.options.take_from_files();
    Ok(cli)
}

/// clap names the flag alone; whoever set a variable looks for its name.
fn name_variable(error: clap::Error, command: &clap::Command) -> clap::Error {
    if matches!(
        error.kind(),
        ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument
    ) {
        return name_variables(&error, command);
    }
    if !matches!(
        error.kind(),
        ErrorKind::ValueValidation | ErrorKind::InvalidValue
    ) {
        return error;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some((argument, variable)) = argument_of(flag, command) else {
        return error;
    };
    let flag = argument.get_long().unwrap_or_default();
    let said = if argument.is_hide_env_values_set() {
        // clap's own words would show the value.
        let problem = error
            .source()
            .map_or_else(|| "not accepted".to_owned(), ToString::to_string);
        format!("invalid value for '--{flag}': {problem}")
    } else {
        said_by(&error)
    };
    let named = format!(
        "{said}\n\n(--{flag} is also read from the variable {})\n",
        variable.display()
    );
    clap::Error::raw(ErrorKind::ValueValidation, named)
}

/// The same of those that exclude each other, or are missing.
fn name_variables(error: &clap::Error, command: &clap::Command) -> clap::Error {
    let mut parts = vec![said_by(error)];
    for kind in [ContextKind::InvalidArg, ContextKind::PriorArg] {
        let flags = match error.get(kind) {
            Some(ContextValue::String(flag)) => std::slice::from_ref(flag),
            Some(ContextValue::Strings(flags)) => flags,
            _ => &[],
        };
        for (argument, variable) in flags.iter().filter_map(|flag| argument_of(flag, command)) {
            let (flag, variable) = (argument.get_long().unwrap_or_default(), variable.display());
            parts.push(format!(
                "(--{flag} is also read from the variable {variable})"
            ));
        }
    }
    clap::Error::raw(error.kind(), parts.join("\n\n") + "\n")
}

/// The argument that clap calls `--flag <VALUE>`, and its variable.
fn argument_of<'a>(
    flag: &str,
    command: &'a clap::Command,
) -> Option<(&'a clap::Arg, &'a std::ffi::OsStr)> {
    let flag = flag.split_whitespace().next()?.trim_start_matches('-');
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == Some(flag))?;
    Some((argument, argument.get_env()?))
}

fn said_by(error: &clap::Error) -> String {
    let said = error.to_string();
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    said.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_wrong_value_is_refused_with_the_variables_name() {
        for (flag, variable) in [
            ("--listen=nowhere", "CEP_LISTEN"),
            ("--bank-url=http://example.org/cep", "CEP_BANK_URL"),
            ("--bank-budget=0", "CEP_BANK_BUDGET"),
            ("--bank-timeout=soon", "CEP_BANK_TIMEOUT"),
            ("--hmac-secret=short", "CEP_HMAC_SECRET"),
            ("--log=cep=loud", "CEP_LOG"),
            ("--database-url=mysql://x", "CEP_DATABASE_URL"),
        ] {
            let error = parse_from(["cep-gateway", flag]).unwrap_err().to_string();
            assert!(error.contains(variable), "{flag}: {error}");
        }
    }

    #[test]
    fn what_is_missing_beside_a_value_is_named_by_its_variable() {
        let error = parse_from(["cep-gateway", "--otlp-headers", "a=b"]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("CEP_OTLP_ENDPOINT"), "{error}");
        let error = parse_from(["cep-gateway", "keys", "create"]).unwrap_err();
        assert!(error.to_string().contains("--name"), "{error}");
    }

    #[test]
    fn serve_and_sandbox_listen_where_they_are_told() {
        let cli = parse_from(["cep-gateway", "serve", "--listen", "127.0.0.1:1"]).unwrap();
        assert!(matches!(
            cli.command,
            Some(Command::Serve { listen: Some(_) })
        ));
        let cli = parse_from(["cep-gateway", "--listen", "127.0.0.1:1"]).unwrap();
        assert_eq!(cli.options.listen.port(), 1);
        let cli = parse_from([
            "cep-gateway",
            "sandbox",
            "--listen",
            "127.0.0.1:2",
            "--latency",
            "3",
        ])
        .unwrap();
        assert!(matches!(
            cli.command,
            Some(Command::Sandbox { latency: 3, .. })
        ));
    }

    #[test]
    fn options_are_taken_before_and_after_a_command() {
        for arguments in [
            ["cep-gateway", "--data-dir", "x", "serve"],
            ["cep-gateway", "serve", "--data-dir", "x"],
        ] {
            let cli = parse_from(arguments).unwrap();
            assert_eq!(cli.options.data_dir, std::path::PathBuf::from("x"));
        }
    }

    #[test]
    fn limits_are_set_to_something() {
        let id = "0198f3c2-0000-7000-8000-000000000000";
        assert!(parse_from(["cep-gateway", "keys", "set-limits", id]).is_err());
        assert!(parse_from(["cep-gateway", "keys", "set-limits", id, "--no-cap"]).is_ok());
    }
}
