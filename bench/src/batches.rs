//! (p) Batches: rows a second, memory, and the part of the bank's budget that they use.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use reqwest::Client;
use serde_json::Value;
use tempfile::tempdir;
use tokio::time::sleep;

use crate::load::percentile;
use crate::process::{Program, gateway_command};
use crate::replicas::servers::{self, Postgres};
use crate::table::Row;
use crate::{now, row};

const ROWS: u32 = 10_000;
/// Budget of the live bank's stand-in, and how long its use is measured.
const BUDGET: u32 = 600;
const SPAN: Duration = Duration::from_mins(2);
/// Time until the queue is full and the first turns, which come at once, are over.
const WARM: Duration = Duration::from_secs(10);
/// Longest time that an answer may take, to its end.
const PATIENCE: Duration = Duration::from_mins(2);
const SECRET: &str = "1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// All benchmarks of batches.
pub(crate) async fn measure() -> Result<Vec<Row>> {
    // Another part of this process may have installed it; there is only one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let folder = tempdir()?;
    let embedded = |folder: &Path| gateway_command(folder);
    let mut rows = of_sandbox("SQLite", folder.path(), &embedded).await?;
    let missing = servers::missing();
    if missing.is_empty() {
        let folder = tempdir()?;
        let postgres = Postgres::start(folder.path())?;
        let redis = servers::redis(folder.path())?;
        let replicated = |folder: &Path| {
            let mut command = gateway_command(folder)?;
            command
                .env("CEP_DATABASE_URL", postgres.url())
                .env("CEP_REDIS_URL", format!("redis://127.0.0.1:{}", redis.port))
                .env("CEP_HMAC_SECRET", SECRET)
                .env("CEP_STORE_SECRET", SECRET)
                .env("CEP_DASHBOARD", "off");
            Ok(command)
        };
        let migrated = replicated(folder.path())?.arg("migrate").status()?;
        ensure!(migrated.success(), "the database could not be migrated");
        rows.extend(of_sandbox("PostgreSQL and Redis", folder.path(), &replicated).await?);
    } else {
        let packages = missing.join(" ");
        let skipped = format!("skipped: apt-get install {packages}");
        rows.push(row("(p) a batch on PostgreSQL and Redis", skipped, "–"));
    }
    rows.extend(budget().await?);
    Ok(rows)
}

type Gateways<'a> = &'a (dyn Fn(&Path) -> Result<Command> + Sync);

/// A key without limits that matter.
fn key(folder: &Path, command: Gateways<'_>, environment: &str) -> Result<String> {
    let args = ["keys", "create", "--name", "bench", "--env", environment];
    let mut command = command(folder)?;
    command
        .args(args)
        .args(["--per-minute", "1000000", "--no-cap"]);
    let made = command.output()?;
    let made: Value = serde_json::from_slice(&made.stdout)
        .with_context(|| String::from_utf8_lossy(&made.stderr).into_owned())?;
    Ok(made["api_key"].as_str().context("no api_key")?.to_owned())
}

/// A table of so many payments.
fn table(rows: u32) -> Result<String> {
    // A day that has begun in Mexico City, too.
    let day = (now()? - TimeDelta::days(1)).format("%Y-%m-%d");
    let row = |number| {
        format!("{day},MBAN01002611180{number:09},002010077777777771,1234.56,40012,40002\n")
    };
    let header = "fecha,clave_rastreo,cuenta,monto,emisor,receptor\n".to_owned();
    Ok(std::iter::once(header).chain((0..rows).map(row)).collect())
}

/// A caller of batches.
struct Caller {
    client: Client,
    batches: String,
    key: String,
}

impl Caller {
    fn new(gateway: &Program, key: String) -> Result<Self> {
        Ok(Self {
            client: Client::builder().timeout(PATIENCE).build()?,
            batches: format!("http://{}/v1/cep/batches", gateway.address),
            key,
        })
    }

    /// Creates a batch; returns its address.
    async fn create(&self, rows: u32) -> Result<String> {
        let posting = self
            .client
            .post(&self.batches)
            .header("x-api-key", &self.key);
        let posting = posting
            .header("content-type", "text/csv")
            .body(table(rows)?);
        let created = posting.send().await?.error_for_status()?.bytes().await?;
        let created: Value = serde_json::from_slice(&created)?;
        let id = created["id"].as_str().context("no id")?;
        Ok(format!("{}/{id}", self.batches))
    }

    async fn get(&self, address: &str) -> Result<reqwest::Response> {
        let reading = self.client.get(address).header("x-api-key", &self.key);
        Ok(reading.send().await?.error_for_status()?)
    }

    /// Waits until a batch is finished; returns the rows that were delivered.
    async fn finished(&self, batch: &str) -> Result<u64> {
        loop {
            let read: Value = serde_json::from_slice(&self.get(batch).await?.bytes().await?)?;
            if read["state"] == "finished" {
                return read["counts"]["delivered"].as_u64().context("no counts");
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Reads an answer to its end; returns its length.
    async fn length(&self, address: &str) -> Result<usize> {
        let mut answer = self.get(address).await?;
        let mut length = 0;
        while let Some(chunk) = answer.chunk().await? {
            length += chunk.len();
        }
        Ok(length)
    }
}

/// A batch of the sandbox's payments.
async fn of_sandbox(name: &str, folder: &Path, command: Gateways<'_>) -> Result<Vec<Row>> {
    let api_key = key(folder, command, "test")?;
    let gateway = Program::start(command(folder)?)?;
    let caller = Caller::new(&gateway, api_key)?;
    let started = Instant::now();
    let batch = caller.create(ROWS).await?;
    let delivered = caller.finished(&batch).await?;
    let took = started.elapsed();
    ensure!(delivered == u64::from(ROWS), "{delivered} were delivered");
    let rate = f64::from(ROWS) / took.as_secs_f64();
    let while_run = gateway.memory_kib("VmHWM")? / 1_024;
    let started = Instant::now();
    let results = caller.length(&format!("{batch}/results")).await?;
    let archive = caller.length(&format!("{batch}/files.zip")).await?;
    let read = started.elapsed();
    let after = gateway.memory_kib("VmHWM")? / 1_024;
    Ok(vec![
        row(
            &format!("(p) a batch of {ROWS} rows on {name}, rows/s"),
            format!("{rate:.0}, {:.1} s", took.as_secs_f64()),
            "≥ 500",
        ),
        row(
            &format!("(p) peak memory of it on {name}"),
            format!("{while_run} MiB; {after} MiB with results and ZIP"),
            "≤ 200 MB",
        ),
        row(
            &format!("(p) results and ZIP of it on {name}"),
            format!(
                "{:.1} s for {} KiB and {} KiB",
                read.as_secs_f64(),
                results / 1_024,
                archive / 1_024
            ),
            "–",
        ),
    ])
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
    let live = |folder: &Path| {
        let mut command = gateway_command(folder)?;
        command
            .env("CEP_BANK_URL", format!("http://{bank}/cep"))
            .env("CEP_BANK_BUDGET", BUDGET.to_string());
        Ok(command)
    };
    let batch_key = key(folder.path(), &live, "live")?;
    let waiting_key = key(folder.path(), &live, "live")?;
    let gateway = Program::start(live(folder.path())?)?;
    Caller::new(&gateway, batch_key)?.create(3 * BUDGET).await?;
    sleep(WARM).await;

    let begin = (Instant::now(), turns.load(Ordering::SeqCst));
    let client = Client::builder().timeout(SPAN).build()?;
    let mut waited = Vec::new();
    let mut passed = Vec::new();
    let mut number = 500_000;
    while begin.0.elapsed() < SPAN {
        sleep(Duration::from_secs(4)).await;
        number += 1;
        let before = (Instant::now(), turns.load(Ordering::SeqCst));
        let asked = client
            .post(format!("http://{}/v1/cep/xml", gateway.address))
            .header("x-api-key", &waiting_key)
            .header("content-type", "application/json")
            .body(crate::load::body(number));
        let answer = asked.send().await?;
        ensure!(answer.status().is_success(), "{}", answer.status());
        waited.push(before.0.elapsed());
        // Its own turn is one of them.
        passed.push(turns.load(Ordering::SeqCst) - before.1 - 1);
    }
    let (span, used) = (begin.0.elapsed(), turns.load(Ordering::SeqCst) - begin.1);
    let share = f64::from(u32::try_from(used)?) * 60.0 / (f64::from(BUDGET) * span.as_secs_f64());
    Ok(vec![
        row(
            &format!("(p) part of a budget of {BUDGET}/min that a batch uses"),
            format!("{:.1} %", share * 100.0),
            "≥ 98 %",
        ),
        row(
            "(p) turns of others until a caller beside it is answered, at most",
            format!(
                "{} ({} calls, p50 {})",
                passed.iter().max().unwrap_or(&0),
                passed.len(),
                crate::millis(percentile(&mut waited, 50))
            ),
            "≤ 2",
        ),
    ])
}
