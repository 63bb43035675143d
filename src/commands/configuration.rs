//! `cep-gateway configuration`: the page of all options, `docs/configuration.md`, written from their
//! declarations.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::cli;

const INTRODUCTION: &str = "# Configuration

`cep-gateway configuration` prints this page from the program's own declarations.

Each option is a flag, and most are a variable of the environment; a flag wins over its variable. They are \
read once, at the start, and a value that is wrong ends the program with an error that names its variable. \
[operations.md](operations.md) says which of them matter in production, and why.

A secret can stand in a file, as Docker and Kubernetes hand it over: the variable whose name ends in `_FILE` \
names the file (at most 64 KiB; a line break at its end doesn't count). Links are followed, as Kubernetes \
mounts secrets; a file that others than its owner may change is refused. Give the variable or its file, not \
both. Unlike variables, files aren't shown when Docker inspects a container, and no program that is started \
inherits them.
";

/// The page, in Markdown.
pub(super) fn page() -> String {
    let mut program = cli::program();
    program.build();
    let mut page = INTRODUCTION.to_owned();
    let all = options(&program);
    for heading in headings(&all) {
        let options = all
            .iter()
            .filter(|option| option.get_help_heading() == Some(heading));
        write!(
            page,
            "\n## {heading}\n\n| variable | flag | default | commands | meaning |\n|---|---|---|---|---|\n"
        )
        .expect(INFALLIBLE);
        for option in options {
            let variable = option
                .get_env()
                .expect("every option with a heading has one");
            let commands = program
                .get_subcommands()
                .filter(|command| takes(command, option))
                .map(|command| code(command.get_name()))
                .collect::<Vec<_>>();
            writeln!(
                page,
                "| {} | {} | {} | {} | {} |",
                code(&variable.to_string_lossy()),
                flag(option),
                default(option),
                commands.join(", "),
                meaning(option)
            )
            .expect(INFALLIBLE);
        }
    }
    page.push_str("\n## Flags without a variable\n\n| command | flag | default | meaning |\n|---|---|---|---|\n");
    of_commands(&program, &mut page);
    page
}

const INFALLIBLE: &str = "a string takes what is written to it";

/// The options with a variable: those of `serve`, then those of other commands alone.
fn options(program: &Command) -> Vec<&Arg> {
    let mut options: Vec<_> = program.get_arguments().collect();
    for option in program.get_subcommands().flat_map(Command::get_arguments) {
        let variable = option.get_env();
        if variable.is_some() && options.iter().all(|known| known.get_env() != variable) {
            options.push(option);
        }
    }
    options
}

/// The headings, in the order of the options.
fn headings<'a>(options: &[&'a Arg]) -> Vec<&'a str> {
    let mut headings = Vec::new();
    for heading in options
        .iter()
        .filter_map(|option| option.get_help_heading())
    {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

fn takes(command: &Command, option: &Arg) -> bool {
    command
        .get_arguments()
        .any(|taken| taken.get_env() == option.get_env())
}

/// Writes the flags without a variable of all commands below this one.
fn of_commands(program: &Command, page: &mut String) {
    for command in program.get_subcommands() {
        if command.get_name() == "help" {
            continue;
        }
        let name = command.get_bin_name().unwrap_or(command.get_name());
        let flags = command.get_arguments().filter(|flag| {
            let is_builtin = matches!(flag.get_id().as_str(), "help" | "version");
            flag.get_env().is_none() && !is_builtin
        });
        for argument in flags {
            writeln!(
                page,
                "| {} | {} | {} | {} |",
                code(name),
                flag(argument),
                default(argument),
                meaning(argument)
            )
            .expect(INFALLIBLE);
        }
        of_commands(command, page);
    }
}

/// The flag with its value; a positional argument is shown by its value.
fn flag(option: &Arg) -> String {
    let value = option
        .get_value_names()
        .filter(|_| option.get_action().takes_values())
        .map_or_else(String::new, |names| names.join(" "));
    let flag = option.get_long().map(|long| format!("--{long}"));
    code(
        [flag, Some(value)]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
            .as_str(),
    )
}

fn default(option: &Arg) -> String {
    let values = option
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy());
    let takes_values = option.get_action().takes_values();
    match values.collect::<Vec<_>>().join(",") {
        text if text.is_empty() || !takes_values => String::new(),
        text => code(&text),
    }
}

fn meaning(option: &Arg) -> String {
    let help = option.get_help().map(ToString::to_string);
    let mut meaning = help.unwrap_or_default().replace('|', "\\|");
    let values: Vec<_> = option
        .get_possible_values()
        .into_iter()
        .map(|value| match value.get_help() {
            Some(help) if !help.to_string().eq_ignore_ascii_case(value.get_name()) => {
                format!("{}: {help}", code(value.get_name()))
            }
            _ => code(value.get_name()),
        })
        .collect();
    if option.get_action().takes_values() && !values.is_empty() {
        write!(meaning, ". {}", values.join("; ")).expect(INFALLIBLE);
    }
    meaning
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
