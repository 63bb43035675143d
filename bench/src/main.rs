//! Benchmarks: ratios against baselines in the same run, printed as a table. They never fail.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::time::Duration;

use anyhow::Result;
use tokio::runtime::Builder;

mod admission;
mod baseline;
mod dashboard;
mod load;
mod process;
mod system;
mod table;

use table::Row;

fn main() -> Result<()> {
    let threads = || Builder::new_multi_thread().enable_all().build();
    match std::env::args().nth(1).as_deref() {
        Some("baseline") => return threads()?.block_on(baseline::serve()),
        Some("dashboard") => {
            let rows = threads()?.block_on(dashboard::first_look())?;
            println!("{}", table::render(&rows));
            return Ok(());
        }
        _ => {}
    }
    // One thread asks, as with other load generators, so that it takes less from who answers.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut rows = Vec::new();
    rows.extend(runtime.block_on(admission::measure())?);
    rows.extend(runtime.block_on(system::remembered_proof())?);
    rows.extend(runtime.block_on(system::added_latency())?);
    rows.extend(runtime.block_on(system::many_in_flight())?);
    rows.extend(runtime.block_on(system::start_and_idle())?);
    // The journal's writer needs a thread of its own to be filled in time.
    rows.extend(threads()?.block_on(dashboard::first_look())?);
    println!("{}", table::render(&rows));
    Ok(())
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
