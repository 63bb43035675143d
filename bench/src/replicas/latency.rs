//! (i) Latency at a low rate, relative to the bare handler's, and the disk's latency meanwhile.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::testbed::Testbed;
use super::{CROWD, ROUNDS};
use crate::load::{Load, percentile};
use crate::steady::{Steady, steady};
use crate::{Row, millis, row};

/// A low load: requests a second, and its duration.
const PER_SECOND: u32 = 500;
const SPAN: Duration = Duration::from_secs(10);
/// About the size of a write of the journal, and the pause between two writes.
const PAGE: [u8; 8_192] = [0; 8_192];
const PAUSE: Duration = Duration::from_millis(20);

/// Latency of the other build's gateway and of ours, at the same low rate, turn about.
pub(super) async fn compared(ours: &Testbed, theirs: &Testbed) -> Result<Row> {
    let (mut of_ours, mut of_theirs) = (vec![], vec![]);
    for _ in 0..2 * ROUNDS {
        of_ours.push(ask(ours, ours.gateways[0].address).await?);
        of_theirs.push(ask(theirs, theirs.gateways[0].address).await?);
    }
    let (ours, theirs) = (middle(&of_ours), middle(&of_theirs));
    let both = |ours, theirs| format!("{} and {}", millis(ours), millis(theirs));
    let (p50, p99) = (both(ours.p50, theirs.p50), both(ours.p99, theirs.p99));
    let what = format!("(i) latency at {PER_SECOND} requests/s: ours, and the other build's");
    Ok(row(&what, format!("p50 {p50}, p99 {p99}"), "≤"))
}

/// Latency of a server of the testbed.
async fn ask(testbed: &Testbed, address: SocketAddr) -> Result<Steady> {
    let load = Load::new(vec![address], testbed.keys.requests(CROWD));
    steady(&load, PER_SECOND, SPAN).await
}

/// Latency of all three, interleaved.
pub(super) async fn measure(testbed: &Testbed) -> Result<Vec<Row>> {
    let (mut bare, mut ours, mut nginx, mut disk) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        // It runs beside all three, so that it changes nothing between them.
        let probe = Probe::start(testbed.folder())?;
        bare.push(ask(testbed, testbed.bare.address).await?);
        ours.push(ask(testbed, testbed.gateways[0].address).await?);
        if let Some(server) = &testbed.nginx {
            nginx.push(ask(testbed, server.address()).await?);
        }
        disk.extend(probe.end()?);
    }
    let bare = middle(&bare);
    let [p50, p99, longest] = [50, 99, 100].map(|percent| millis(percentile(&mut disk, percent)));
    let disk = format!("p50 {p50}, p99 {p99}, the longest {longest}");
    let goal = "p50 ≤ 1 ms, p99 ≤ 5 ms";
    let mut rows = vec![
        added("the gateway", middle(&ours), bare, goal),
        row(
            "(i) the disk meanwhile: 8 KiB written and flushed",
            disk,
            "–",
        ),
    ];
    if !nginx.is_empty() {
        rows.push(added("nginx with Lua", middle(&nginx), bare, "–"));
    }
    Ok(rows)
}

/// Medians of the percentiles of some runs.
fn middle(runs: &[Steady]) -> Steady {
    let middle = |of: fn(&Steady) -> Duration| {
        let mut all: Vec<_> = runs.iter().map(of).collect();
        percentile(&mut all, 50)
    };
    Steady {
        p50: middle(|run| run.p50),
        p99: middle(|run| run.p99),
    }
}

fn added(who: &str, theirs: Steady, bare: Steady, goal: &str) -> Row {
    let more = |theirs: Duration, bare: Duration| {
        let more = millis(theirs.saturating_sub(bare));
        format!("{more} ({} against {})", millis(theirs), millis(bare))
    };
    let (p50, p99) = (more(theirs.p50, bare.p50), more(theirs.p99, bare.p99));
    let what = format!("(i) added to bare axum at {PER_SECOND} requests/s, {who}");
    row(&what, format!("p50 {p50}, p99 {p99}"), goal)
}

/// Writes to a file of its own and flushes it, again and again, and notes the latency.
struct Probe {
    is_over: Arc<AtomicBool>,
    writes: thread::JoinHandle<Result<Vec<Duration>>>,
}

impl Probe {
    fn start(folder: &Path) -> Result<Self> {
        let mut file = File::create(folder.join("probe")).context("making the probe's file")?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let writes = thread::spawn(move || {
            let mut taken = Vec::new();
            while !ends.load(Ordering::Relaxed) {
                let begun = Instant::now();
                file.write_all(&PAGE)?;
                file.sync_data()?;
                taken.push(begun.elapsed());
                thread::sleep(PAUSE);
            }
            Ok(taken)
        });
        Ok(Self { is_over, writes })
    }

    fn end(self) -> Result<Vec<Duration>> {
        self.is_over.store(true, Ordering::Relaxed);
        let writes = self.writes.join();
        writes.map_err(|_| anyhow::anyhow!("the probe of the disk panicked"))?
    }
}
