//! Gateways on PostgreSQL and Redis, beside nginx with Lua on the same Redis, and a bare handler.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::load::{self, Load, Throughput};
use crate::{Row, millis, processor, row};

mod keys;
mod latency;
mod nginx;
mod other_build;
mod redis_stats;
pub(crate) mod servers;
mod testbed;

pub(crate) use other_build::compared;

use keys::BUSY;
use redis_stats::{memory_of_an_active_key, sent, since};
use testbed::{KEYS, Testbed};

const SPAN: Duration = Duration::from_secs(5);
const WARM: Duration = Duration::from_secs(1);
const ROUNDS: usize = 3;
const CONNECTIONS: usize = 512;
/// Keys that most of the load is spread over.
const CROWD: Range<usize> = BUSY..BUSY + 1_000;

pub(crate) async fn measure() -> Result<Vec<Row>> {
    let missing = servers::missing();
    if !missing.is_empty() {
        return Ok(vec![skipped("(g)–(k) replicas", &missing)]);
    }
    let testbed = Testbed::start(CONNECTIONS, None).await?;
    let mut rows = Vec::new();
    let missing = nginx::missing();
    if !missing.is_empty() {
        rows.push(skipped("(g), (i) nginx with Lua", &missing));
    }
    rows.extend(side_by_side(&testbed).await?);
    rows.push(round_trips(&testbed).await?);
    rows.extend(latency::measure(&testbed).await?);
    rows.extend(growth(&testbed).await?);
    rows.extend(memory(&testbed).await?);
    Ok(rows)
}

/// The row of a figure for which Debian packages are missing.
pub(crate) fn skipped(what: &str, packages: &[&str]) -> Row {
    let packages = packages.join(" ");
    row(what, format!("skipped: apt-get install {packages}"), "–")
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Names and ids of processes whose processor time is measured.
type Programs = Vec<(&'static str, u32)>;

/// A measured program under load.
struct Runner {
    name: &'static str,
    load: Arc<Load>,
    runs: Vec<Run>,
    programs: Programs,
}

struct Run {
    throughput: Throughput,
    /// Processor time per request, in the order of the programs.
    processor: Vec<Duration>,
}

impl Runner {
    fn new(
        name: &'static str,
        addresses: Vec<SocketAddr>,
        requests: Vec<Vec<u8>>,
        programs: Programs,
    ) -> Self {
        Self {
            name,
            load: Load::new(addresses, requests),
            runs: Vec::new(),
            programs,
        }
    }

    /// Opens every connection to every server, has the proof cached, and sends each key's request
    /// so often.
    async fn warm_up(&self, times: usize) -> Result<()> {
        loop {
            let warm = load::throughput(&self.load, CONNECTIONS, WARM).await;
            warm.context(self.name)?;
            if self.load.rounds() >= times {
                return Ok(());
            }
        }
    }

    async fn run(&mut self, span: Duration) -> Result<()> {
        let used = |programs: &[(_, u32)]| {
            let used = programs.iter().map(|(_, id)| processor::used_by(&[*id]));
            used.collect::<Result<Vec<_>>>()
        };
        let before = used(&self.programs)?;
        let throughput = load::throughput(&self.load, CONNECTIONS, span).await;
        let throughput = throughput.context(self.name)?;
        let after = used(&self.programs)?;
        let answered = u32::try_from(throughput.answered)?.max(1);
        let processor = before.iter().zip(&after);
        let processor = processor.map(|(before, after)| after.saturating_sub(*before) / answered);
        self.runs.push(Run {
            throughput,
            processor: processor.collect(),
        });
        Ok(())
    }

    fn best(&self) -> f64 {
        let rates = self.runs.iter().map(|run| run.throughput.rate);
        rates.fold(0.0, f64::max)
    }

    fn median_rate(&self) -> f64 {
        median(self.runs.iter().map(|run| run.throughput.rate))
    }

    fn median_p99(&self) -> Duration {
        let mut p99: Vec<_> = self.runs.iter().map(|run| run.throughput.p99).collect();
        p99.sort_unstable();
        p99[p99.len() / 2]
    }

    /// Processor time per request and program, in the median run.
    fn processor(&self) -> String {
        let run = &self.runs[self.runs.len() / 2];
        let each = self.programs.iter().zip(&run.processor);
        let each = each.map(|((name, _), time)| format!("{name} {} µs", time.as_micros()));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Failures, if there are any.
    fn failures(&self) -> String {
        match self.runs.iter().map(|run| run.throughput.failed).sum() {
            0_usize => String::new(),
            failed => format!("; {failed} requests FAILED"),
        }
    }

    fn row(&self, letter: &str) -> Row {
        let (median, best) = (self.median_rate(), self.best());
        let p99 = millis(self.median_p99());
        let (processor, failures) = (self.processor(), self.failures());
        let measured = format!(
            "{median:.0}, at best {best:.0}; p99 {p99}; \
             processor time of a request: {processor}{failures}"
        );
        row(
            &format!("({letter}) {}, requests/s", self.name),
            measured,
            "–",
        )
    }
}

/// (g) The same work, interleaved.
async fn side_by_side(testbed: &Testbed) -> Result<Vec<Row>> {
    let runner = |name, address, programs| {
        Runner::new(name, vec![address], testbed.keys.requests(CROWD), programs)
    };
    let Testbed { bare, nginx, .. } = testbed;
    let mut bare = runner("bare axum", bare.address, vec![("axum", bare.id())]);
    let mut nginx = nginx.as_ref().map(|nginx| {
        let programs = vec![("nginx", nginx.id()), ("Redis", testbed.redis.id())];
        runner("nginx with Lua and Redis", nginx.address(), programs)
    });
    let (address, programs) = (testbed.gateways[0].address, testbed.programs(1));
    let mut ours = runner("the gateway with Redis and PostgreSQL", address, programs);
    for runner in [&bare, &ours].into_iter().chain(&nginx) {
        runner.warm_up(1).await?;
    }
    for _ in 0..ROUNDS {
        bare.run(SPAN).await?;
        if let Some(nginx) = &mut nginx {
            nginx.run(SPAN).await?;
        }
        ours.run(SPAN).await?;
    }
    let mut rows = vec![bare.row("g")];
    rows.extend(nginx.iter().map(|nginx| nginx.row("g")));
    rows.push(ours.row("g"));
    if let Some(nginx) = &nginx {
        let rate = ours.median_rate() / nginx.median_rate();
        let rate = format!("{rate:.2} (best of each {:.2})", ours.best() / nginx.best());
        let p99 = ours.median_p99().div_duration_f64(nginx.median_p99());
        rows.push(row("(g) the gateway's rate, in nginx's", rate, "≥ 1.5"));
        rows.push(row(
            "(g) the gateway's p99, in nginx's",
            format!("{p99:.2}"),
            "≤ 1",
        ));
    }
    Ok(rows)
}

/// (h) Redis' commands per request.
async fn round_trips(testbed: &Testbed) -> Result<Row> {
    let load = Load::new(testbed.addresses(1), testbed.keys.requests(CROWD));
    let before = sent(&testbed.redis);
    let asked = load::throughput(&load, CONNECTIONS, Duration::from_secs(1)).await?;
    let sent = since(&before, &sent(&testbed.redis));
    let sent = sent.iter().map(|(name, calls)| format!("{name} {calls}"));
    Ok(row(
        &format!("(h) what Redis counted in {} requests", asked.answered),
        sent.collect::<Vec<_>>().join(", "),
        "one `evalsha` each at most, no `ping`",
    ))
}

struct Case {
    name: &'static str,
    /// Gateways that are asked.
    replicas: usize,
    keys: Range<usize>,
    /// Requests of each key before, so that each gateway has met it, as after its start. None where that is
    /// measured.
    rounds: usize,
}

/// (j) More replicas, more keys.
const CASES: [Case; 5] = [
    Case::of("one gateway, 1,000 keys", 1, CROWD, 1),
    Case::of("three gateways, 1,000 keys", 3, CROWD, 6),
    Case::of("one gateway, 10 keys", 1, 0..10, 1),
    Case::of(
        "one gateway, the first requests of 100,000 keys",
        1,
        0..KEYS,
        0,
    ),
    Case::of("one gateway, 100,000 keys", 1, 0..KEYS, 1),
];

impl Case {
    const fn of(name: &'static str, replicas: usize, keys: Range<usize>, rounds: usize) -> Self {
        Self {
            name,
            replicas,
            keys,
            rounds,
        }
    }

    /// Its load on the gateways of a testbed, which have met the keys.
    async fn runner(&self, testbed: &Testbed) -> Result<Runner> {
        let requests = testbed.keys.requests(self.keys.clone());
        let addresses = testbed.addresses(self.replicas);
        let programs = testbed.programs(self.replicas);
        let runner = Runner::new(self.name, addresses, requests, programs);
        runner.warm_up(self.rounds).await?;
        Ok(runner)
    }
}

async fn growth(testbed: &Testbed) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for case in CASES {
        let mut runner = case.runner(testbed).await?;
        runner.run(SPAN).await?;
        rows.push(runner.row("j"));
    }
    Ok(rows)
}

/// (k) Memory of a key that has used up its minute.
async fn memory(testbed: &Testbed) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for per_minute in [60, 6_000, 100_000] {
        let bytes = memory_of_an_active_key(&testbed.redis, per_minute).await?;
        let what = format!("(k) Redis' memory for an active key of {per_minute} a minute");
        rows.push(row(&what, format!("{bytes} B"), "–"));
    }
    Ok(rows)
}
