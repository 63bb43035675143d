//! Options that are secret. Each can stand in a file, as Docker and Kubernetes hand secrets over: the
//! option `--NAME` (`CEP_NAME`) has a second form, `--NAME-file` (`CEP_NAME_FILE`).
//!
//! The operator names such a file, and what hands it over decides about it: Kubernetes mounts links to
//! files of root, systemd gives them the mode 0440, Compose keeps the owner that they have outside. So
//! links are followed, and neither owner nor readers are checked; only a file that others may change is
//! refused.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use zeroize::Zeroizing;

/// Largest file that is read: no secret is nearly so long.
const LARGEST: u64 = 64 * 1024;

/// Permission to change a file, of anybody but its owner.
const OTHERS_WRITE: u32 = 0o022;

/// Declaration of a secret option.
pub trait SecretKind: 'static {
    /// Type of the value. Its `Debug` MUST NOT show the secret.
    type Value: Clone + fmt::Debug + Send + Sync + 'static;
    /// Name of the option, such as `database-url`.
    const NAME: &'static str;
    /// Placeholder of the value in the help.
    const VALUE_NAME: &'static str;
    /// Explanation.
    const HELP: &'static str;
    /// Heading in the help.
    const HEADING: &'static str;
    /// Names of other secret options that it can't be given with, in either form.
    const EXCLUDES: &'static [&'static str] = &[];
    /// Id of an option without which it means nothing.
    const REQUIRES: Option<&'static str> = None;

    /// Reads the value.
    ///
    /// # Errors
    /// Says what is wrong, and MUST NOT show the text.
    fn parse(text: &str) -> Result<Self::Value, String>;
}

/// The value of a secret option, by whichever form it was given.
pub struct Secret<K: SecretKind>(Option<K::Value>);

impl<K: SecretKind> Secret<K> {
    /// The value; `None` when it was not given.
    pub fn get(&self) -> Option<&K::Value> {
        self.0.as_ref()
    }
}

impl<K: SecretKind> fmt::Debug for Secret<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Ids of both forms of an option. An id is the name, as those of the other options are but for
/// dashes.
fn ids(name: &str) -> [String; 2] {
    [name.to_owned(), format!("{name}-file")]
}

impl<K: SecretKind> Args for Secret<K> {
    fn augment_args(command: Command) -> Command {
        let [value, file] = ids(K::NAME);
        let of_value = arg::<K>(&value)
            .value_name(K::VALUE_NAME)
            .help(K::HELP)
            .hide_env_values(true)
            .conflicts_with(file.clone())
            .value_parser(K::parse);
        let of_file = arg::<K>(&file)
            .value_name("FILE")
            .help(format!("File that holds what `{}` would", variable(&value)))
            .conflicts_with(value)
            .value_parser(|path: &str| in_file(path, K::parse));
        command.arg(of_value).arg(of_file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<K: SecretKind> FromArgMatches for Secret<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let [value, file] = ids(K::NAME);
        let given = matches.get_one::<K::Value>(&value);
        Ok(Self(given.or_else(|| matches.get_one(&file)).cloned()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// An argument of this name with all that both forms share.
fn arg<K: SecretKind>(name: &str) -> Arg {
    let arg = Arg::new(name.to_owned())
        .long(name.to_owned())
        .env(variable(name))
        .help_heading(K::HEADING)
        .conflicts_with_all(K::EXCLUDES.iter().flat_map(|name| ids(name)));
    match K::REQUIRES {
        Some(other) => arg.requires(other),
        None => arg,
    }
}

/// The variable of an option.
pub fn variable(name: &str) -> String {
    format!("CEP_{}", name.to_uppercase().replace('-', "_"))
}

/// Reads the value in a file. One line break at the end isn't part of it. Errors say what is wrong
/// with the file, and never what it holds: clap puts its path before them.
fn in_file<T>(path: &str, parse: fn(&str) -> Result<T, String>) -> Result<T, String> {
    let bytes = bytes(path, LARGEST)?;
    let text = str::from_utf8(&bytes).map_err(|_| "the file is no text (UTF-8)".to_owned())?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err("the file is empty".to_owned());
    }
    parse(text).map_err(|problem| format!("in the file: {problem}"))
}

/// Reads a file of at most so many bytes.
///
/// # Errors
/// A file that can't be read or is larger.
pub(super) fn bytes(path: &str, most: u64) -> Result<Zeroizing<Vec<u8>>, String> {
    let unreadable = |error| format!("the file can't be read: {error}");
    let file = File::open(PathBuf::from(path)).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    // A pipe, as of a shell's `<(…)`, is whoever's made it.
    if found.is_file() && found.mode() & OTHERS_WRITE != 0 {
        return Err("others may change the file: run chmod go-w on it".to_owned());
    }
    let size = usize::try_from(most).unwrap_or(usize::MAX);
    // Reserved at once: a vector that grows leaves copies of the secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() > size {
        return Err(format!("the file has more than {most} bytes"));
    }
    Ok(bytes)
}
