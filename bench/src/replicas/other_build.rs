//! Another build's gateways beside ours, each build with servers of its own. Runs alternate, so that a slow
//! moment of the machine strikes both.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::testbed::Testbed;
use super::{CASES, CONNECTIONS, Run, Runner, SPAN, latency, median, servers, skipped};
use crate::{Row, row};

/// Runs of each build; a ratio is the median of as many pairs.
const PAIRS: usize = 7;

/// (i) Latency of both, and (j) rate and processor time of ours in those of the other build. Keys are first
/// requested once, so that isn't compared.
pub(crate) async fn compared(other: &Path) -> Result<Vec<Row>> {
    let missing = servers::missing();
    if !missing.is_empty() {
        return Ok(vec![skipped("(i), (j) another build", &missing)]);
    }
    let ours = Testbed::start(CONNECTIONS, None).await?;
    let theirs = Testbed::start(CONNECTIONS, Some(other)).await?;
    let mut rows = vec![latency::compared(&ours, &theirs).await?];
    for case in CASES.iter().filter(|case| case.rounds > 0) {
        let mut ours = case.runner(&ours).await?;
        let mut theirs = case.runner(&theirs).await?;
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
        rows.push(ratios(case.replicas, &ours, &theirs));
    }
    Ok(rows)
}

fn ratios(replicas: usize, ours: &Runner, theirs: &Runner) -> Row {
    let pairs = || ours.runs.iter().zip(&theirs.runs);
    let rate = median(pairs().map(|(a, b)| a.throughput.rate / b.throughput.rate));
    let time = |run: &Run| run.processor[..replicas].iter().sum::<Duration>();
    let processor = median(pairs().map(|(a, b)| time(a).div_duration_f64(time(b))));
    row(
        &format!("(j) {}: ours in the other build's", ours.name),
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
