//! Benchmarks: ratios against baselines in the same run, printed as a table. They never fail.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::runtime::{Builder, Runtime};

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

fn main() -> Result<()> {
    // One thread sends, as with other load generators, so that it takes less from the servers.
    let one_thread = || Builder::new_current_thread().enable_all().build();
    let threads = || Builder::new_multi_thread().enable_all().build();
    let rows = match std::env::args().nth(1).as_deref() {
        Some("baseline") => return threads()?.block_on(baseline::serve()),
        Some("admission") => one_thread()?.block_on(admission::measure())?,
        Some("remembered") => one_thread()?.block_on(system::remembered_proof())?,
        Some("lookup") => one_thread()?.block_on(system::added_latency())?,
        Some("lookups") => one_thread()?.block_on(system::many_in_flight())?,
        Some("dashboard") => threads()?.block_on(dashboard::first_look())?,
        Some("prefixes") => one_thread()?.block_on(prefixes::told_apart())?,
        Some("beside") => one_thread()?.block_on(beside::floods())?,
        Some("proofs") => {
            let other = other_build();
            one_thread()?.block_on(proofs::checked_and_parsed(other.as_deref()))?
        }
        Some("batches") => threads()?.block_on(batches::measure())?,
        Some("replicas") => match other_build() {
            Some(other) => one_thread()?.block_on(replicas::compared(&other))?,
            None => one_thread()?.block_on(replicas::measure())?,
        },
        Some(unknown) => bail!("no benchmark is named {unknown:?}: bench/README.md lists them"),
        None => everything(&one_thread()?, &threads()?),
    };
    println!("| what | measured | goal |\n|---|---|---|");
    for Row(line) in rows {
        println!("{line}");
    }
    Ok(())
}

/// All figures. One that can't be measured is named, and the rest is measured all the same.
fn everything(one_thread: &Runtime, threads: &Runtime) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |measured: Result<Vec<Row>>| match measured {
        Ok(measured) => rows.extend(measured),
        Err(error) => rows.push(row("failed", format!("{error:#}"), "–")),
    };
    add(one_thread.block_on(admission::measure()));
    add(one_thread.block_on(system::remembered_proof()));
    add(one_thread.block_on(system::added_latency()));
    add(one_thread.block_on(system::many_in_flight()));
    add(one_thread.block_on(system::start_and_idle()));
    add(one_thread.block_on(replicas::measure()));
    add(one_thread.block_on(beside::floods()));
    add(one_thread.block_on(proofs::checked_and_parsed(None)));
    add(threads.block_on(batches::measure()));
    // The journal's writer needs a thread of its own to be filled in time.
    add(threads.block_on(dashboard::first_look()));
    rows
}

/// The program of another build, given after the benchmark's name.
fn other_build() -> Option<PathBuf> {
    std::env::args_os().nth(2).map(PathBuf::from)
}

fn now() -> Result<DateTime<Utc>> {
    let since = SystemTime::UNIX_EPOCH.elapsed()?;
    Ok(DateTime::<Utc>::from(UNIX_EPOCH) + TimeDelta::from_std(since)?)
}

/// Milliseconds, for a table.
fn millis(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1_000.0)
}

/// A row of the printed table, in Markdown.
struct Row(String);

fn row(what: &str, measured: impl Into<String>, goal: &str) -> Row {
    let measured = measured.into();
    Row(format!("| {what} | {measured} | {goal} |"))
}
