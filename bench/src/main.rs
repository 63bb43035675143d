//! Benchmarks: ratios against baselines in the same run, printed as a table. They never fail.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::runtime::Builder;

mod admission;
mod baseline;
mod batches;
mod beside;
mod dashboard;
mod load;
mod prefixes;
mod process;
mod processor;
mod proofs;
mod replicas;
mod seeded_rng;
mod steady;
mod system;
mod table;

use table::Row;

fn main() -> Result<()> {
    // One thread sends, as with other load generators, so that it takes less from the servers.
    let one_thread = || Builder::new_current_thread().enable_all().build();
    let threads = || Builder::new_multi_thread().enable_all().build();
    match std::env::args().nth(1).as_deref() {
        Some("baseline") => return threads()?.block_on(baseline::serve()),
        Some("dashboard") => {
            let rows = threads()?.block_on(dashboard::first_look())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("prefixes") => {
            let rows = one_thread()?.block_on(prefixes::told_apart())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("beside") => {
            let rows = one_thread()?.block_on(beside::floods())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("proofs") => {
            let other = other_build();
            let rows = one_thread()?.block_on(proofs::checked_and_parsed(other.as_deref()))?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("batches") => {
            let rows = threads()?.block_on(batches::measure())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("admission") => {
            let rows = one_thread()?.block_on(admission::measure())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("lookup") => {
            let rows = one_thread()?.block_on(system::added_latency())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("lookups") => {
            let rows = one_thread()?.block_on(system::many_in_flight())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        Some("replicas") => {
            let rows = match other_build() {
                Some(other) => one_thread()?.block_on(replicas::compared(&other))?,
                None => one_thread()?.block_on(replicas::measure())?,
            };
            println!("{}", table::render(&rows));
            return Ok(());
        }
        _ => {}
    }
    let runtime = one_thread()?;
    let mut rows = Vec::new();
    // What can't be measured is named, and the rest is printed all the same.
    let mut add = |measured: Result<Vec<Row>>| match measured {
        Ok(measured) => rows.extend(measured),
        Err(error) => rows.push(row("failed", format!("{error:#}"), "–")),
    };
    add(runtime.block_on(admission::measure()));
    add(runtime.block_on(system::remembered_proof()));
    add(runtime.block_on(system::added_latency()));
    add(runtime.block_on(system::many_in_flight()));
    add(runtime.block_on(system::start_and_idle()));
    add(runtime.block_on(replicas::measure()));
    add(runtime.block_on(beside::floods()));
    add(runtime.block_on(proofs::checked_and_parsed(None)));
    add(threads()?.block_on(batches::measure()));
    // The journal's writer needs a thread of its own to be filled in time.
    add(threads()?.block_on(dashboard::first_look()));
    println!("{}", table::render(&rows));
    Ok(())
}

/// The program of another build, given after the benchmark's name.
fn other_build() -> Option<PathBuf> {
    std::env::args_os().nth(2).map(PathBuf::from)
}

/// This moment.
fn now() -> Result<DateTime<Utc>> {
    let since = SystemTime::UNIX_EPOCH.elapsed()?;
    Ok(DateTime::<Utc>::from(UNIX_EPOCH) + TimeDelta::from_std(since)?)
}

/// Milliseconds, for a table.
fn millis(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1_000.0)
}

fn row(what: &str, measured: String, goal: &str) -> Row {
    Row {
        what: what.to_owned(),
        measured,
        goal: goal.to_owned(),
    }
}
