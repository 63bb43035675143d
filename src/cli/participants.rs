//! Commands that work on the catalogue of participants.

use std::path::PathBuf;

use chrono::NaiveDate;
use clap::Subcommand;

use crate::config;

/// Commands that work on the catalogue of participants.
#[derive(Debug, Subcommand)]
pub enum ParticipantsCommand {
    /// List the catalogue, past participants included.
    List {
        /// Print it as CSV, as `import` reads it.
        #[arg(long)]
        csv: bool,
    },
    /// Renew the catalogue from the central bank's portal; one query. A server that runs on the
    /// embedded database does it, since it keeps the budget of queries.
    Refresh,
    /// Replace the catalogue with a CSV file.
    Import {
        /// The file.
        file: PathBuf,
        /// Date of the central bank's list in it; today when it is not given.
        #[arg(long, value_name = "DATE", value_parser = config::date)]
        as_of: Option<NaiveDate>,
    },
}
