//! (p) Batches: rows a second, memory, and the part of the bank's budget that they use.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tempfile::tempdir;
use tokio::time::{sleep, timeout};

use crate::dashboard::client_builder;
use crate::load::{Connection, lookup, percentile};
use crate::process::{Program, gateway_command, key, key_by};
use crate::replicas::servers::{self, Postgres};
use crate::replicas::skipped;
use crate::{Row, millis, now, row};

mod table;

use table::Format;

const ROWS: u32 = 10_000;
/// Budget of the live bank's stand-in, and how long its use is measured.
const BUDGET: u32 = 600;
const SPAN: Duration = Duration::from_mins(2);
/// Time until the queue is full and the first turns, which come at once, are over.
const WARM: Duration = Duration::from_secs(10);
/// Measurements of each format of tables, of which the best counts.
const ROUNDS: usize = 2;
/// Longest time that an answer may take, to its end.
const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) async fn measure() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let mut rows = of_sandbox("SQLite", folder.path(), &gateway_command).await?;
    let missing = servers::missing();
    if missing.is_empty() {
        let folder = tempdir()?;
        let postgres = Postgres::start(folder.path())?;
        let redis = servers::redis()?;
        let replicated = |folder: &Path| {
            let mut command = gateway_command(folder)?;
            servers::use_by(&mut command, &postgres, &redis);
            Ok(command)
        };
        servers::migrate(replicated(folder.path())?)?;
        rows.extend(of_sandbox("PostgreSQL and Redis", folder.path(), &replicated).await?);
    } else {
        rows.push(skipped("(p) a batch on PostgreSQL and Redis", &missing));
    }
    rows.extend(of_workbook().await?);
    rows.extend(budget().await?);
    Ok(rows)
}

type Gateways<'a> = &'a (dyn Fn(&Path) -> Result<Command> + Sync);

struct Caller {
    client: Client,
    batches: String,
    key: String,
}

impl Caller {
    fn new(gateway: &Program, key: String) -> Result<Self> {
        Ok(Self {
            client: client_builder().timeout(PATIENCE).build()?,
            batches: format!("http://{}/v1/cep/batches", gateway.address),
            key,
        })
    }

    /// Creates a batch; returns its address.
    async fn create(&self, rows: u32, format: Format) -> Result<String> {
        let posting = self.client.post(&self.batches).body(format.table(rows)?);
        let posting = posting.header("content-type", format.content_type());
        let created = json(posting.header("x-api-key", &self.key)).await?;
        let id = created["id"].as_str().context("no id")?;
        Ok(format!("{}/{id}", self.batches))
    }

    fn get(&self, address: &str) -> RequestBuilder {
        self.client.get(address).header("x-api-key", &self.key)
    }

    /// Has all rows of a batch delivered; returns its address and the time that it took.
    async fn deliver(&self, format: Format) -> Result<(String, Duration)> {
        let started = Instant::now();
        let batch = self.create(ROWS, format).await?;
        let delivered = self.finished(&batch).await?;
        ensure!(delivered == u64::from(ROWS), "{delivered} were delivered");
        Ok((batch, started.elapsed()))
    }

    /// Waits until a batch is finished; returns the rows that were delivered.
    async fn finished(&self, batch: &str) -> Result<u64> {
        loop {
            let read = json(self.get(batch)).await?;
            if read["state"] == "finished" {
                return read["counts"]["delivered"].as_u64().context("no counts");
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Reads an answer to its end; returns its length.
    async fn length(&self, address: &str) -> Result<usize> {
        let mut answer = self.get(address).send().await?.error_for_status()?;
        let mut length = 0;
        while let Some(chunk) = answer.chunk().await? {
            length += chunk.len();
        }
        Ok(length)
    }
}

async fn json(request: RequestBuilder) -> Result<Value> {
    let answer = request.send().await?.error_for_status()?;
    Ok(serde_json::from_slice(&answer.bytes().await?)?)
}

/// A batch of the sandbox's payments.
async fn of_sandbox(name: &str, folder: &Path, command: Gateways<'_>) -> Result<Vec<Row>> {
    let api_key = key_by(command(folder)?, "test")?;
    let gateway = Program::start(command(folder)?)?;
    let caller = Caller::new(&gateway, api_key)?;
    let (batch, took) = caller.deliver(Format::Csv).await?;
    let while_run = gateway.memory_kib("VmHWM")? / 1_024;
    let started = Instant::now();
    let results = caller.length(&format!("{batch}/results")).await? / 1_024;
    let archive = caller.length(&format!("{batch}/files.zip")).await? / 1_024;
    let (took, read) = (took.as_secs_f64(), started.elapsed().as_secs_f64());
    let after = gateway.memory_kib("VmHWM")? / 1_024;
    let rate = format!("{:.0}, {took:.1} s", f64::from(ROWS) / took);
    let memory = format!("{while_run} MiB; {after} MiB with results and ZIP");
    let files = format!("{read:.1} s for {results} KiB and {archive} KiB");
    let batch = format!("(p) a batch of {ROWS} rows on {name}, rows/s");
    Ok(vec![
        row(&batch, rate, "≥ 500"),
        row(
            &format!("(p) peak memory of it on {name}"),
            memory,
            "≤ 200 MB",
        ),
        row(&format!("(p) results and ZIP of it on {name}"), files, "–"),
    ])
}

/// The same table as CSV and as a workbook, turn about, each on a gateway with an empty folder.
async fn of_workbook() -> Result<Vec<Row>> {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (format, best) in [Format::Csv, Format::Xlsx].into_iter().zip(&mut best) {
            let folder = tempdir()?;
            let api_key = key(folder.path(), "test")?;
            let gateway = Program::start(gateway_command(folder.path())?)?;
            let (_, took) = Caller::new(&gateway, api_key)?.deliver(format).await?;
            *best = took.min(*best);
        }
    }
    let [csv, xlsx] = best.map(|took| f64::from(ROWS) / took.as_secs_f64());
    Ok(vec![row(
        &format!("(p) {ROWS} rows of XLSX on SQLite, rows/s, in those of CSV"),
        format!("{xlsx:.0} ({:.2} of {csv:.0})", xlsx / csv),
        "≥ 0.8",
    )])
}

/// A stand-in of the live bank, which counts turns, with a batch that waits for it and a caller who
/// interrupts now and then.
async fn budget() -> Result<Vec<Row>> {
    let turns = Arc::new(AtomicUsize::new(0));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let bank = listener.local_addr()?;
    let counted = Arc::clone(&turns);
    let counting = axum::middleware::map_request(move |request: axum::extract::Request| {
        if request.uri().path().ends_with("/valida.do") {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        std::future::ready(request)
    });
    let config = sandbox::SandboxConfig {
        latency: Duration::ZERO,
        now: Arc::new(|| now().unwrap_or_default()),
    };
    let router = sandbox::router(config).layer(counting);
    tokio::spawn(sandbox::serve(listener, router, std::future::pending()));

    let folder = tempdir()?;
    let mut command = gateway_command(folder.path())?;
    command
        .env("CEP_BANK_URL", format!("http://{bank}/cep"))
        .env("CEP_BANK_BUDGET", BUDGET.to_string());
    let batch_key = key(folder.path(), "live")?;
    let waiting_key = key(folder.path(), "live")?;
    let gateway = Program::start(command)?;
    let caller = Caller::new(&gateway, batch_key)?;
    caller.create(3 * BUDGET, Format::Csv).await?;
    sleep(WARM).await;

    let begin = (Instant::now(), turns.load(Ordering::SeqCst));
    let mut connection = Connection::open(gateway.address).await?;
    let (mut waited, mut most_passed) = (Vec::new(), 0);
    let mut number = 500_000;
    while begin.0.elapsed() < SPAN {
        sleep(Duration::from_secs(4)).await;
        number += 1;
        let before = (Instant::now(), turns.load(Ordering::SeqCst));
        let request = lookup("xml", &waiting_key, number);
        timeout(SPAN, connection.succeed(&request)).await??;
        waited.push(before.0.elapsed());
        // Its own turn is one of them.
        most_passed = most_passed.max(turns.load(Ordering::SeqCst) - before.1 - 1);
    }
    let (span, used) = (begin.0.elapsed(), turns.load(Ordering::SeqCst) - begin.1);
    let share = f64::from(u32::try_from(used)?) * 60.0 / (f64::from(BUDGET) * span.as_secs_f64());
    let (calls, p50) = (waited.len(), millis(percentile(&mut waited, 50)));
    Ok(vec![
        row(
            &format!("(p) part of a budget of {BUDGET}/min that a batch uses"),
            format!("{:.1} %", share * 100.0),
            "≥ 98 %",
        ),
        row(
            "(p) turns of others until a caller beside it is answered, at most",
            format!("{most_passed} ({calls} calls, p50 {p50})"),
            "≤ 2",
        ),
    ])
}
