//! Another build's gateways beside ours.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::testbed::{KEYS, Testbed};
use super::{CONNECTIONS, CROWD, Runner, SPAN, latency, runner};
use crate::row;
use crate::table::Row;

/// Runs of each build; a ratio is the median of as many pairs.
const PAIRS: usize = 7;

/// (i) and (j): latency, rate and processor time of ours beside those of the other build. Each build has servers of its own; their
/// runs alternate, so that a slow moment of the machine strikes both.
pub(crate) async fn compared(other: &Path) -> Result<Vec<Row>> {
    let ours = Testbed::start(CONNECTIONS, None).await?;
    let theirs = Testbed::start(CONNECTIONS, Some(other)).await?;
    let cases: [(_, _, Range<usize>, _); 4] = [
        ("one gateway, 1,000 keys", 1, CROWD, 1),
        ("three gateways, 1,000 keys", 3, CROWD, 6),
        ("one gateway, 10 keys", 1, 0..10, 1),
        ("one gateway, 100,000 keys", 1, 0..KEYS, 1),
    ];
    let mut rows = vec![latency::compared(&ours, &theirs).await?];
    for (name, replicas, keys, rounds) in cases {
        let mut ours = runner(&ours, name, replicas, keys.clone());
        let mut theirs = runner(&theirs, name, replicas, keys);
        ours.warm_up(rounds).await?;
        theirs.warm_up(rounds).await?;
        for pair in 0..PAIRS {
            // Neither build is always the first of a pair.
            if pair % 2 == 0 {
                ours.run(SPAN).await?;
                theirs.run(SPAN).await?;
            } else {
                theirs.run(SPAN).await?;
                ours.run(SPAN).await?;
            }
        }
        rows.push(ratios(name, replicas, &ours, &theirs));
    }
    Ok(rows)
}

fn ratios(name: &str, replicas: usize, ours: &Runner, theirs: &Runner) -> Row {
    let pairs = || ours.runs.iter().zip(&theirs.runs);
    let rate = median(pairs().map(|(a, b)| a.throughput.rate / b.throughput.rate));
    let time = |run: &super::Run| run.processor[..replicas].iter().sum::<Duration>();
    let processor = median(pairs().map(|(a, b)| time(a).div_duration_f64(time(b))));
    row(
        &format!("(j) {name}: ours in the other build's"),
        format!(
            "requests/s {rate:.2}, gateway's processor time {processor:.2} ({:.0} and {:.0} requests/s{}{})",
            ours.median_rate(),
            theirs.median_rate(),
            ours.failures(),
            theirs.failures()
        ),
        "≥ 1, ≤ 1",
    )
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
