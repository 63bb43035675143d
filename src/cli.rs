//! The command line: commands, and the options that each takes, as flags and `CEP_*` variables.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgGroup, Args, FromArgMatches as _, Subcommand};
use domain::keys::Environment;
use uuid::Uuid;

mod participants;
mod seals;
mod variables;
mod verify;

pub use participants::ParticipantsCommand;
pub use seals::SealsCommand;
pub use verify::VerifyOptions;

use crate::config::{
    self, BankOptions, DatabaseOptions, KeyOptions, ListenOptions, LogOptions, RoleOptions,
    ServeOptions, VariableOptions,
};

/// Introduction of `--help`.
const ABOUT: &str = "The gateway for electronic payment proofs (CEP) of SPEI transfers";
const LONG_ABOUT: &str = "The gateway for electronic payment proofs (CEP) of SPEI transfers

Without a command it serves: SQLite under `data/`, a sandbox bank for `test` keys, a dashboard with a \
sandbox identity provider, and on the first start a `test` key with a line to try it.";

/// Commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API (the default).
    Serve(Box<ServeOptions>),
    /// Make, list, change and revoke API keys; works while the server runs.
    Keys {
        /// Options of all of them.
        #[command(flatten)]
        options: KeyOptions,
        /// Those of all commands on the database.
        #[command(flatten)]
        common: CommonOptions,
        /// The command itself.
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// List, renew and replace the catalogue of SPEI's participants; works while the server runs.
    Participants {
        /// The database, and Redis.
        #[command(flatten)]
        options: KeyOptions,
        /// The central bank's portal.
        #[command(flatten)]
        bank: Box<BankOptions>,
        /// Those of all commands on the database.
        #[command(flatten)]
        common: CommonOptions,
        /// The command itself.
        #[command(subcommand)]
        command: ParticipantsCommand,
    },
    /// List, import and recover the keys that verify the seals of proofs; works while the server runs.
    Seals {
        /// The database.
        #[command(flatten)]
        database: DatabaseOptions,
        /// Those of all commands on the database.
        #[command(flatten)]
        common: CommonOptions,
        /// The command itself.
        #[command(subcommand)]
        command: SealsCommand,
    },
    /// Check proofs (XML, PDF, or a ZIP of them) and ask nobody: their structure, what they show against what is
    /// sealed, and the seal. The status is 0 when all are valid, 1 when one is invalid, 66 when a file can't be
    /// read, 3 when one is the sandbox's, which proves nothing, and 2 when one could not be checked; of several
    /// the first of these.
    Verify(VerifyOptions),
    /// Bring the database to the schema of this version. Replicas refuse to start before that; the
    /// embedded database needs no such step.
    Migrate {
        /// The database.
        #[command(flatten)]
        database: DatabaseOptions,
        /// The role that serves.
        #[command(flatten)]
        roles: RoleOptions,
        /// Those of all commands on the database.
        #[command(flatten)]
        common: CommonOptions,
    },
    /// End what a database that was restored from a copy has revived: sign every person out, and disable every
    /// webhook until its owner enables it again. For after a restore, before any gateway starts.
    AfterRestore {
        /// The database.
        #[command(flatten)]
        database: DatabaseOptions,
        /// Those of all commands on the database.
        #[command(flatten)]
        common: CommonOptions,
    },
    /// Run the sandbox bank alone, for any client of the real portal.
    Sandbox {
        /// Address to listen on.
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
        listen: SocketAddr,
        /// Milliseconds that each lookup takes.
        #[arg(long, value_name = "MS", default_value_t = 0)]
        latency: u64,
    },
    /// Ask the gateway that serves on this machine's `CEP_LISTEN` whether it is up; fails when it
    /// isn't.
    Healthcheck(ListenOptions),
    /// Print the OpenAPI document.
    Openapi,
    /// Print the schema of the GraphQL API.
    Schema,
    /// Print a page with all options, their variables and defaults, in Markdown.
    Configuration,
}

/// Options of all commands on the database.
#[derive(Debug, Args)]
pub struct CommonOptions {
    /// Logs.
    #[command(flatten)]
    pub log: LogOptions,
    /// Variables that are no options.
    #[command(flatten)]
    pub variables: VariableOptions,
}

/// Commands that work on keys.
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

impl Command {
    /// The treatment of variables that no option has; `None` if the command neither serves nor works on the database.
    fn variables(&self) -> Option<&VariableOptions> {
        match self {
            Self::Serve(options) => Some(&options.variables),
            Self::Keys { common, .. }
            | Self::Participants { common, .. }
            | Self::Seals { common, .. }
            | Self::Migrate { common, .. }
            | Self::AfterRestore { common, .. } => Some(&common.variables),
            Self::Verify(_)
            | Self::Sandbox { .. }
            | Self::Healthcheck(_)
            | Self::Openapi
            | Self::Schema
            | Self::Configuration => None,
        }
    }
}

/// The program with all its commands. Without one it takes the options of `serve`.
pub fn program() -> clap::Command {
    // Last, since the group of options would bring its own introduction.
    ServeOptions::augment_args(with_commands())
        .about(ABOUT)
        .long_about(LONG_ABOUT)
}

fn with_commands() -> clap::Command {
    let program = clap::Command::new("cep-gateway")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100);
    // The options of these may also stand behind their own commands.
    let mut program = Command::augment_subcommands(program);
    for name in ["keys", "participants", "seals"] {
        program = program.mut_subcommand(name, |command| {
            command.mut_args(|argument| argument.global(true))
        });
    }
    program
}

/// Status of a command line that can't be read (`EX_USAGE` of sysexits.h). clap's own, 2, is a result of
/// `verify`.
const USAGE: u8 = 64;

/// Reads the command line and the environment.
///
/// # Errors
/// The program's status, once what is wrong with them, or the help that was asked for, is printed.
pub fn parse() -> Result<Command, ExitCode> {
    let parsed = parse_from(std::env::args_os()).and_then(|command| {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let checked = command.variables().map_or(Ok(()), |variables| {
            variables.check(names, &variables::of_options(&program()))
        });
        checked
            .map(|()| command)
            .map_err(|message| clap::Error::raw(ErrorKind::UnknownArgument, message))
    });
    parsed.map_err(|error| {
        // A closed pipe: there is nobody to tell.
        let _ = error.print();
        if error.use_stderr() {
            ExitCode::from(USAGE)
        } else {
            ExitCode::SUCCESS
        }
    })
}

/// Reads these arguments, the first of which is the program's name, and the environment.
///
/// # Errors
/// clap's, which names the variable besides the flag when a value is wrong.
pub fn parse_from(
    arguments: impl IntoIterator<Item = impl Into<OsString>>,
) -> Result<Command, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let Some(place) = place_of_command(&arguments) else {
        let mut program = program();
        let matches = program
            .try_get_matches_from_mut(arguments)
            .map_err(|error| variables::named(error, &program))?;
        let options = ServeOptions::from_arg_matches(&matches);
        return options.map(|options| Command::Serve(Box::new(options)));
    };
    // Options may stand before the command. There they would be the program's, which has none beside
    // a command: a variable that the command doesn't use mustn't stop it.
    arguments[1..=place].rotate_right(1);
    let mut program = with_commands();
    let name = arguments[1].clone();
    let matches = program
        .try_get_matches_from_mut(arguments)
        .map_err(|error| {
            let command = name.to_str().and_then(|name| program.find_subcommand(name));
            variables::named(error, command.unwrap_or(&program))
        })?;
    Command::from_arg_matches(&matches)
}

/// Place of the command among the arguments. Every option that may stand before it takes one value.
fn place_of_command(arguments: &[OsString]) -> Option<usize> {
    let mut place = 1;
    loop {
        let argument = arguments.get(place)?.to_string_lossy();
        place += match argument.as_ref() {
            "--" | "-h" | "--help" | "-V" | "--version" => return None,
            option if option.starts_with("--") && !option.contains('=') => 2,
            option if option.starts_with('-') => 1,
            _ => return Some(place),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        program().debug_assert();
        with_commands().debug_assert();
    }

    #[test]
    fn no_option_has_a_variable_that_kubernetes_sets_for_a_service() {
        let options = variables::of_options(&program());
        assert!(options.contains("CEP_LISTEN"), "{options:?}");
        let taken = options.iter().find(|it| it.starts_with("CEP_GATEWAY_"));
        assert_eq!(taken, None);
    }

    fn parse(arguments: &[&str]) -> Result<Command, clap::Error> {
        parse_from(["cep-gateway"].iter().chain(arguments))
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
            let error = parse(&[flag]).unwrap_err().to_string();
            assert!(error.contains(variable), "{flag}: {error}");
        }
    }

    #[test]
    fn what_is_missing_beside_a_value_is_named_by_its_variable() {
        for (arguments, missing) in [
            (["--otlp-headers", "a=b"], "CEP_OTLP_ENDPOINT"),
            (["keys", "create"], "--name"),
        ] {
            let error = parse(&arguments).unwrap_err().to_string();
            assert!(error.contains(missing), "{error}");
        }
    }

    fn served(arguments: &[&str]) -> ServeOptions {
        match parse(arguments) {
            Ok(Command::Serve(options)) => *options,
            other => panic!("it doesn't serve: {other:?}"),
        }
    }

    /// The database that a command about keys uses.
    fn database_of_keys(arguments: &[&str]) -> DatabaseOptions {
        match parse(arguments) {
            Ok(Command::Keys { options, .. }) => options.database,
            other => panic!("it isn't about keys: {other:?}"),
        }
    }

    #[test]
    fn serve_and_sandbox_listen_where_they_are_told() {
        for arguments in [
            ["serve", "--listen", "127.0.0.1:1"].as_slice(),
            &["--listen", "127.0.0.1:1"],
        ] {
            assert_eq!(served(arguments).listen.listen.port(), 1);
        }
        let sandbox = ["sandbox", "--listen", "127.0.0.1:2", "--latency", "3"];
        let command = parse(&sandbox).unwrap();
        let Command::Sandbox { listen, latency } = command else {
            panic!("{command:?}");
        };
        assert_eq!((listen.port(), latency), (2, 3));
    }

    #[test]
    fn options_are_taken_before_and_after_a_command() {
        let folder = std::path::PathBuf::from("x");
        for arguments in [
            ["--data-dir", "x", "serve"].as_slice(),
            &["--data-dir=x", "serve"],
            &["serve", "--data-dir", "x"],
        ] {
            assert_eq!(served(arguments).keys.database.data_dir, folder);
        }
        for arguments in [
            ["--data-dir", "x", "keys", "list"].as_slice(),
            &["keys", "--data-dir", "x", "list"],
            &["keys", "list", "--data-dir", "x"],
        ] {
            let database = database_of_keys(arguments);
            assert_eq!(database.data_dir, folder, "{arguments:?}");
        }
    }

    #[test]
    fn a_command_takes_no_option_that_it_does_not_use() {
        for refused in [
            ["sandbox", "--data-dir", "x"].as_slice(),
            &["--data-dir", "x", "sandbox"],
            &["migrate", "--redis-url", "redis://x"],
            &["keys", "list", "--bank-budget", "1"],
            &["healthcheck", "--data-dir", "x"],
        ] {
            let error = parse(refused).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{refused:?}");
        }
    }

    #[test]
    fn a_secret_is_taken_from_either_of_its_forms() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("url");
        std::fs::write(&file, "sqlite://x.db\n").unwrap();
        let of_file = format!("--database-url-file={}", file.display());
        for flag in ["--database-url=sqlite://x.db", &of_file] {
            for database in [
                served(&[flag, "serve"]).keys.database,
                served(&["serve", flag]).keys.database,
                database_of_keys(&["keys", "list", flag]),
            ] {
                let url = database.database_url;
                assert_eq!(url.get().unwrap().reveal(), "sqlite://x.db", "{flag}");
            }
        }
    }

    #[test]
    fn limits_are_set_to_something() {
        let id = "0198f3c2-0000-7000-8000-000000000000";
        assert!(parse(&["keys", "set-limits", id]).is_err());
        assert!(parse(&["keys", "set-limits", id, "--no-cap"]).is_ok());
    }
}
