//! Options of stored lookups.

use clap::Args;
use domain::batches::MAX_ROWS;
use domain::lookups::RetryScale;

use super::heading;

/// Stored lookups.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = heading::BANK)]
pub struct LookupOptions {
    /// Attempts of stored lookups that this process makes at the same time. A quarter is kept for
    /// lookups whose callers wait. 0 leaves them all to other replicas.
    #[arg(
        long,
        env = "CEP_WORKERS",
        value_name = "NUMBER",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(0..=1024)
    )]
    pub workers: u32,

    /// Days that a stored lookup is kept after its end, with its question and its proof.
    #[arg(
        long,
        env = "CEP_LOOKUP_RETENTION",
        value_name = "DAYS",
        default_value_t = 7,
        value_parser = clap::value_parser!(u32).range(1..=366)
    )]
    pub lookup_retention: u32,

    /// Rows that a batch may have.
    #[arg(
        long,
        env = "CEP_BATCH_MAX_ROWS",
        value_name = "NUMBER",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ROWS))
    )]
    pub batch_max_rows: u32,

    /// Factor of the waits between the attempts of `test` lookups, above 0 and at most 1: 0.05 makes a
    /// minute 3 s, to see a schedule without waiting for it. Those of `live` lookups stay as they are.
    #[arg(
        long,
        env = "CEP_RETRY_SCALE",
        value_name = "FACTOR",
        default_value = "1",
        value_parser = retry_scale
    )]
    pub retry_scale: RetryScale,
}

fn retry_scale(text: &str) -> Result<RetryScale, String> {
    let factor = text
        .trim()
        .parse()
        .map_err(|_| "it is no number".to_owned())?;
    RetryScale::new(factor).map_err(|error| error.to_string())
}
