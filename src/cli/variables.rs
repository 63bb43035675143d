//! Variables of options: those that there are, and their names in clap's errors.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

/// The variables of all options of all commands.
pub(super) fn of_options(program: &Command) -> BTreeSet<String> {
    let of_commands = program.get_subcommands().flat_map(Command::get_arguments);
    let arguments = program.get_arguments().chain(of_commands);
    let names = arguments.filter_map(|argument| argument.get_env()?.to_str());
    names.map(str::to_owned).collect()
}

/// Adds the variable to an error that names a flag.
pub(super) fn named(error: Error, command: &Command) -> Error {
    if matches!(
        error.kind(),
        ErrorKind::ArgumentConflict | ErrorKind::MissingRequiredArgument
    ) {
        return several_named(&error, command);
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
    let message = if argument.is_hide_env_values_set() {
        // clap's own message would show the value.
        let problem = error
            .source()
            .map_or_else(|| "not accepted".to_owned(), ToString::to_string);
        format!("invalid value for '--{flag}': {problem}")
    } else {
        message_of(&error)
    };
    let named = format!(
        "{message}\n\n(--{flag} is also read from the variable {})\n",
        variable.display()
    );
    Error::raw(ErrorKind::ValueValidation, named)
}

/// Adds the variables to an error about options that exclude each other, or are missing.
fn several_named(error: &Error, command: &Command) -> Error {
    let mut parts = vec![message_of(error)];
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
    Error::raw(error.kind(), parts.join("\n\n") + "\n")
}

/// Finds the argument that clap calls `--flag <VALUE>`, and its variable.
fn argument_of<'a>(flag: &str, command: &'a Command) -> Option<(&'a Arg, &'a OsStr)> {
    let flag = flag.split_whitespace().next()?.trim_start_matches('-');
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == Some(flag))?;
    Some((argument, argument.get_env()?))
}

fn message_of(error: &Error) -> String {
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    message.trim_end().to_owned()
}
