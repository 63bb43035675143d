//! Variables of the environment that look like options.

use std::collections::BTreeSet;

use clap::Args;
use domain::misspelling::meant;

use super::heading;
use super::people::Switch;

/// Beginning of every option's variable.
const PREFIX: &str = "CEP_";
/// Beginning of no option's variable: Kubernetes sets `CEP_GATEWAY_SERVICE_HOST`, `CEP_GATEWAY_PORT` and others in
/// every container beside a Service named `cep-gateway`.
const OF_KUBERNETES: &str = "CEP_GATEWAY_";

/// Treatment of variables that no option has.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SERVER)]
pub struct VariableOptions {
    /// Start although there are variables `CEP_…` that no option of this version has. Without it they end the
    /// program, since they are mostly misspelt, and what they were meant for would be as by default. For an
    /// upgrade, during which two versions share their variables. Those that begin with `CEP_GATEWAY_` are ignored in
    /// any case: Kubernetes sets them for a Service named `cep-gateway`.
    #[arg(
        long,
        env = "CEP_IGNORE_UNKNOWN",
        value_name = "SWITCH",
        default_value = "off"
    )]
    pub ignore_unknown: Switch,
}

impl VariableOptions {
    /// Looks for variables that no option has; `options` are the variables of all options.
    ///
    /// # Errors
    /// Names each, and the one that was probably meant.
    pub fn check(
        &self,
        names: impl IntoIterator<Item = String>,
        options: &BTreeSet<String>,
    ) -> Result<(), String> {
        if self.ignore_unknown == Switch::On {
            return Ok(());
        }
        let names = names.into_iter();
        let unknown: BTreeSet<_> = names
            .filter(|name| name.starts_with(PREFIX) && !name.starts_with(OF_KUBERNETES))
            .filter(|name| !options.contains(name))
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        let lines = unknown.iter().map(|name| match meant(name, &options) {
            Some(option) => format!("  {name}: did you mean {option}?\n"),
            None => format!("  {name}\n"),
        });
        let lines: String = lines.collect();
        Err(format!(
            "no option has these variables:\n{lines}\nCorrect or remove them, or set CEP_IGNORE_UNKNOWN=on to go on \
             nevertheless. `cep-gateway configuration` lists all options.\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(ignore_unknown: Switch, names: &[&str]) -> Result<(), String> {
        let options = ["CEP_LISTEN", "CEP_DATABASE_URL", "CEP_DATABASE_URL_FILE"];
        let options = options.map(str::to_owned).into();
        let names = names.iter().map(|name| (*name).to_owned());
        VariableOptions { ignore_unknown }.check(names, &options)
    }

    #[test]
    fn what_no_option_has_is_named_with_what_was_meant() {
        let known = [
            "CEP_LISTEN",
            "CEP_DATABASE_URL_FILE",
            "PATH",
            "MY_CEP_X",
            "CEP_GATEWAY_SERVICE_HOST",
            "CEP_GATEWAY_PORT_8080_TCP_ADDR",
        ];
        assert_eq!(checked(Switch::Off, &known), Ok(()));
        let misspelt = [
            "CEP_LISTEN",
            "CEP_DATBASE_URL",
            "cep_listen",
            "CEP_QUITE_ANOTHER",
        ];
        let message = checked(Switch::Off, &misspelt).unwrap_err();
        let named: Vec<_> = message
            .lines()
            .filter(|line| line.starts_with("  "))
            .collect();
        let meant = "  CEP_DATBASE_URL: did you mean CEP_DATABASE_URL?";
        assert_eq!(named, [meant, "  CEP_QUITE_ANOTHER"]);
        assert!(message.contains("CEP_IGNORE_UNKNOWN=on"), "{message}");
        assert_eq!(checked(Switch::On, &misspelt), Ok(()));
    }
}
