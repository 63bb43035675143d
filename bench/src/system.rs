//! The gateway as a process, against its baselines.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::tempdir;

use crate::load::{self, Connection, Load, PROBE, lookup, percentile, post};
use crate::process::{Program, baseline_command, gateway_command, key};
use crate::{Row, millis, row};

const SPAN: Duration = Duration::from_secs(5);
const CONNECTIONS: usize = 512;
const LOOKUPS: u64 = 400;
const IN_FLIGHT: u64 = 2_000;
/// Keys of those lookups: each may have 16 waiting for the bank.
const KEYS_IN_FLIGHT: usize = 125;

/// (b) A cached proof against a bare handler.
pub(crate) async fn remembered_proof() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let gateway = Program::start(gateway_command(folder.path())?)?;
    let api_key = key(folder.path(), "test")?;
    let baseline = Program::start(baseline_command()?)?;
    let request = lookup("xml", &api_key, 1);
    let to_baseline = Load::new(vec![baseline.address], vec![request.clone()]);
    // A key has 64 lookups under way, so the proof is fetched before all ask for it at once.
    let mut first = Connection::open(gateway.address).await?;
    first.succeed(&request).await?;
    let to_gateway = Load::new(vec![gateway.address], vec![request]);
    let mut rows = Vec::new();
    let mut best: (f64, f64) = (0.0, 0.0);
    // Interleaved, so that a slow moment of the machine strikes both.
    for _ in 0..3 {
        let bare = load::throughput(&to_baseline, CONNECTIONS, SPAN).await?;
        let ours = load::throughput(&to_gateway, CONNECTIONS, SPAN).await?;
        ensure!(bare.failed + ours.failed == 0, "some requests failed");
        best = (best.0.max(bare.rate), best.1.max(ours.rate));
        let p99 = millis(ours.p99);
        let measured = format!("{:.0} ({:.0}), p99 {p99}", ours.rate, bare.rate);
        rows.push(row(
            "(b) a proof in memory, requests/s (bare axum)",
            measured,
            "–",
        ));
    }
    let ratio = format!("{:.2}", best.1 / best.0);
    rows.push(row("(b) best of each, ratio", ratio, "≥ 0.5"));
    Ok(rows)
}

/// A sandbox of its own, and a gateway whose live bank it is.
fn gateway_on_sandbox(latency_ms: &str, folder: &Path) -> Result<(Program, Program, String)> {
    let mut sandbox = gateway_command(folder)?;
    sandbox.args([
        "sandbox",
        "--listen",
        "127.0.0.1:0",
        "--latency",
        latency_ms,
    ]);
    let sandbox = Program::start(sandbox)?;
    let mut gateway = gateway_command(folder)?;
    gateway
        .env("CEP_BANK_URL", format!("http://{}/cep", sandbox.address))
        .env("CEP_BANK_BUDGET", "10000000");
    let gateway = Program::start(gateway)?;
    let api_key = key(folder, "live")?;
    Ok((sandbox, gateway, api_key))
}

/// (c) Time that the gateway adds to the two requests of a lookup.
pub(crate) async fn added_latency() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let (sandbox, gateway, api_key) = gateway_on_sandbox("0", folder.path())?;
    let mut to_sandbox = Connection::open(sandbox.address).await?;
    let mut to_gateway = Connection::open(gateway.address).await?;
    let (mut direct, mut through) = (Vec::new(), Vec::new());
    for number in 0..LOOKUPS {
        let started = Instant::now();
        let form = format!(
            "tipoCriterio=T&criterio=MBAN01002611180{number:09}&fecha=18-11-2026&emisor=40012&receptor=40002\
             &cuenta=002010077777777771&monto=1234.56&receptorParticipante=0&captcha=c&tipoConsulta=1"
        );
        let form_type = "application/x-www-form-urlencoded";
        let ask = post("/cep/valida.do", "accept: */*", form_type, form.as_bytes());
        let ready = to_sandbox.ask(&ask).await?;
        let fields = ready.head.lines().filter_map(|line| line.split_once(": "));
        let cookies = fields.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        let cookies: Vec<_> = cookies
            .filter_map(|(_, cookie)| cookie.split(';').next())
            .collect();
        let download = format!(
            "GET /cep/descarga.do?formato=XML HTTP/1.1\r\nhost: bench\r\ncookie: {}\r\n\r\n",
            cookies.join("; ")
        );
        to_sandbox.succeed(download.as_bytes()).await?;
        direct.push(started.elapsed());

        // Another transfer, so that the sandbox seals a proof for each of the two.
        let request = lookup("xml", &api_key, 1_000_000 + number);
        let started = Instant::now();
        to_gateway.succeed(&request).await?;
        through.push(started.elapsed());
    }
    let warm = usize::try_from(LOOKUPS / 10)?;
    let (direct, through) = (&mut direct[warm..], &mut through[warm..]);
    let mut at = |percent| {
        let (direct, through) = (percentile(direct, percent), percentile(through, percent));
        let added = millis(through.saturating_sub(direct));
        format!(
            "{added} ({} through, {} direct)",
            millis(through),
            millis(direct)
        )
    };
    Ok(vec![
        row("(c) added to two direct requests, p50", at(50), "≤ 1 ms"),
        row("(c) added to two direct requests, p99", at(99), "–"),
    ])
}

/// (d) Many lookups in flight against a slow bank.
pub(crate) async fn many_in_flight() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let (_sandbox, gateway, first) = gateway_on_sandbox("1000", folder.path())?;
    let mut keys = vec![first];
    for _ in 1..KEYS_IN_FLIGHT {
        keys.push(key(folder.path(), "live")?);
    }
    let address = gateway.address;
    let asking: Vec<_> = (0..IN_FLIGHT)
        .zip(keys.iter().cycle())
        .map(|(number, api_key)| {
            let request = lookup("xml", api_key, number);
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await?;
                let started = Instant::now();
                let status = connection.ask(&request).await?.status;
                anyhow::Ok((status, started.elapsed()))
            })
        })
        .collect();
    let (mut succeeded, mut latencies) = (0, Vec::new());
    for asked in asking {
        if let Ok((status, latency)) = asked.await? {
            succeeded += u64::from(status == 200);
            latencies.push(latency);
        }
    }
    let memory = gateway.memory_kib("VmHWM")?;
    let (succeeded, memory) = (format!("{succeeded} of {IN_FLIGHT}"), megabytes(memory));
    let p99 = millis(percentile(&mut latencies, 99));
    Ok(vec![
        row("(d) lookups in flight that succeeded", succeeded, "all"),
        row("(d) their p99 (the bank takes 1 s)", p99, "≤ 1500 ms"),
        row("(d) most memory meanwhile", memory, "≤ 150 MB"),
    ])
}

/// (e) Starting, and idle memory.
pub(crate) async fn start_and_idle() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let mut rows = Vec::new();
    let mut idle = 0;
    for what in ["first", "later"] {
        let started = Instant::now();
        let gateway = Program::start(gateway_command(folder.path())?)?;
        let mut connection = Connection::open(gateway.address).await?;
        connection.succeed(PROBE).await?;
        let (answered, listening) = (millis(started.elapsed()), millis(gateway.started_in));
        let measured = format!("{answered} (listening after {listening})");
        rows.push(row(
            &format!("(e) {what} start to first answer"),
            measured,
            "≤ 300 ms",
        ));
        tokio::time::sleep(Duration::from_secs(3)).await;
        idle = gateway.memory_kib("VmRSS").context("idle memory")?;
    }
    rows.push(row("(e) idle memory", megabytes(idle), "≤ 40 MB"));
    Ok(rows)
}

fn megabytes(kib: u64) -> String {
    format!("{} MB", kib / 1024)
}
