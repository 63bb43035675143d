//! Latency of wrong keys: whether it tells a prefix that exists from one that doesn't.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::tempdir;

use crate::load::{Answer, Connection, percentile};
use crate::process::{Program, gateway_command, key};
use crate::seeded_rng::SeededRng;
use crate::{Row, row};

/// Rounds, in each of which every kind of key is shown once, in an order that changes.
const ROUNDS: u32 = 1_500;
/// Rounds from an address whose keys aren't looked up any more: each question waits for the change feed.
const THROTTLED_ROUNDS: u32 = 100;
/// Time between two questions, so that all are looked up: the gateway looks up a hundred wrong keys a
/// second.
const PACE: Duration = Duration::from_millis(11);
/// A secret that no key has.
const WRONG: &str = "000000000000000000000000";

/// Kinds of wrong keys. The last is the second again, to show how far two of one kind are apart.
const KINDS: [&str; 3] = ["known", "unknown", "unknown again"];

/// (l) Latencies of wrong keys, looked up and not looked up.
pub(crate) async fn told_apart() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let mut command = gateway_command(folder.path())?;
    // Each question names another caller, so none of them is throttled.
    command.env("CEP_TRUSTED_PROXIES", "127.0.0.1");
    let gateway = Program::start(command)?;
    let known = key(folder.path(), "test")?;
    let (known, _) = known.split_once('.').context("a key without a secret")?;
    let mut questions = Questions {
        connection: Connection::open(gateway.address).await?,
        known: known.to_owned(),
        rng: SeededRng(7),
    };
    let mut looked_up = [const { Vec::new() }; KINDS.len()];
    for round in 0..ROUNDS {
        for kind in questions.order() {
            tokio::time::sleep(PACE).await;
            let caller = round * 3 + u32::try_from(kind)?;
            let (status, latency) = questions.ask(kind, caller).await?;
            ensure!(status == 401, "a wrong key was answered with {status}");
            looked_up[kind].push(latency);
        }
    }
    let one_caller = u32::MAX;
    for _ in 0..50 {
        questions.ask(1, one_caller).await?;
    }
    let mut throttled = [const { Vec::new() }; KINDS.len()];
    for _ in 0..THROTTLED_ROUNDS {
        for kind in questions.order() {
            let (status, latency) = questions.ask(kind, one_caller).await?;
            // One in a while is looked up.
            if status == 503 {
                throttled[kind].push(latency);
            }
        }
    }
    let mut rows = rows("a wrong key that is looked up", looked_up);
    rows.extend(self::rows("a wrong key that is not looked up", throttled));
    Ok(rows)
}

struct Questions {
    connection: Connection,
    /// The prefix of a key.
    known: String,
    rng: SeededRng,
}

impl Questions {
    /// The kinds in any order.
    fn order(&mut self) -> [usize; KINDS.len()] {
        let mut order = [0, 1, 2];
        for place in (1..order.len()).rev() {
            let other = self.rng.below(u32::try_from(place + 1).unwrap_or(1));
            order.swap(place, usize::try_from(other).unwrap_or_default());
        }
        order
    }

    /// Shows a key of this kind for a caller.
    async fn ask(&mut self, kind: usize, caller: u32) -> Result<(u16, Duration)> {
        let prefix = match kind {
            0 => self.known.clone(),
            _ => format!("cep_test_{:08}", self.rng.below(100_000_000)),
        };
        let [one, two, three, four] = caller.to_be_bytes();
        let question = format!(
            "POST /v1/cep/xml HTTP/1.1\r\nhost: bench\r\nx-api-key: {prefix}.{WRONG}\r\n\
             x-forwarded-for: 2001:db8:{one:x}{two:02x}:{three:x}{four:02x}::1\r\n\
             content-length: 0\r\n\r\n"
        );
        let started = Instant::now();
        let Answer { status, .. } = self.connection.ask(question.as_bytes()).await?;
        Ok((status, started.elapsed()))
    }
}

fn rows(what: &str, latencies: [Vec<Duration>; KINDS.len()]) -> Vec<Row> {
    let [known, unknown, again] = latencies;
    let chance = |slower: &[Duration], faster: &[Duration]| {
        let (share, error) = chance_of_slower(slower, faster);
        format!("{share:.3} ± {error:.3}")
    };
    let told_apart = chance(&known, &unknown);
    let alike = chance(&unknown, &again);
    let [mut known, mut unknown, mut again] = [known, unknown, again];
    let micros = |latency: Duration| latency.as_secs_f64() * 1e6;
    let mut at = |percent| {
        let [known, unknown, again] =
            [&mut known, &mut unknown, &mut again].map(|some| micros(percentile(some, percent)));
        format!(
            "{known:.0} µs, {unknown:.0} µs: ratio {:.3} (two of one kind {:.3})",
            known / unknown,
            unknown / again
        )
    };
    let slower = format!("(l) {what}: chance that the known one is slower (two of one kind)");
    vec![
        row(
            &format!("(l) {what}: p50, known and unknown prefix"),
            at(50),
            "1",
        ),
        row(
            &format!("(l) {what}: p90, known and unknown prefix"),
            at(90),
            "1",
        ),
        row(&slower, format!("{told_apart} ({alike})"), "0.5"),
    ]
}

/// The share of pairs in which the first is slower, a draw counting half (Mann and Whitney's U), and the
/// standard error of that share when both have one distribution.
#[expect(clippy::cast_precision_loss, reason = "a share for a table")]
fn chance_of_slower(slower: &[Duration], faster: &[Duration]) -> (f64, f64) {
    let mut sorted = faster.to_vec();
    sorted.sort_unstable();
    let twice_below = |latency: &Duration| {
        let below = sorted.partition_point(|other| other < latency);
        below + sorted.partition_point(|other| other <= latency)
    };
    let twice: usize = slower.iter().map(twice_below).sum();
    let (one, other) = (slower.len() as f64, faster.len() as f64);
    let error = ((one + other + 1.0) / (12.0 * one * other)).sqrt();
    (twice as f64 / (2.0 * one * other), error)
}
