//! (m) Latency of admissions while other routes are flooded, and while many wait for the bank.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use tempfile::tempdir;
use testkit::free_port;
use tokio::task::JoinSet;

use crate::dashboard::{client_builder, sign_in};
use crate::load::{Connection, Load, PROBE, lookup, percentile, post};
use crate::process::{Program, gateway_command, key};
use crate::steady::steady;
use crate::{Row, millis, row};

/// Admissions a second, how long, and how often.
const PER_SECOND: u32 = 500;
const SPAN: Duration = Duration::from_secs(5);
const ROUNDS: usize = 3;
/// Connections of a flood, each of which asks again as soon as it is answered.
const CONNECTIONS: usize = 4;
/// Callers that wait for the bank, and their keys, of which each may have 16 waiting.
const WAITING: usize = 1_000;
const LIVE_KEYS: usize = 63;
const WINDOWS: &str = "{ admin { keys(first: 100) { nodes { window { remaining } } } } }";

/// Requests that are sent again and again.
struct Flood {
    connections: usize,
    /// The next request of a connection, by its number.
    request: Arc<dyn Fn(usize) -> Vec<u8> + Send + Sync>,
}

impl Flood {
    fn of(request: &[u8]) -> Self {
        let request = request.to_vec();
        Self {
            connections: CONNECTIONS,
            request: Arc::new(move |_| request.clone()),
        }
    }

    /// Callers that wait for their turns at the bank, each for a transfer of its own.
    fn of_waiting_callers(keys: Vec<String>) -> Self {
        let number = AtomicU64::new(1_000);
        Self {
            connections: WAITING,
            request: Arc::new(move |connection| {
                let number = number.fetch_add(1, Ordering::Relaxed);
                lookup("xml", &keys[connection % keys.len()], number)
            }),
        }
    }
}

/// Latency of admissions alone, beside queries for windows, beside probes, and beside callers that
/// wait for the bank.
pub(crate) async fn floods() -> Result<Vec<Row>> {
    let folder = tempdir()?;
    let bank = free_port();
    let mut command = gateway_command(folder.path())?;
    command
        .env("CEP_SANDBOX_LISTEN", format!("127.0.0.1:{bank}"))
        .env("CEP_BANK_URL", format!("http://127.0.0.1:{bank}/cep"))
        .env("CEP_BANK_BUDGET", "1200")
        .env("CEP_BANK_TIMEOUT", "300");
    let gateway = Program::start(command)?;
    let api_key = key(folder.path(), "test")?;
    // Lookups go on when their callers have gone: each round has keys of its own, whose callers wait.
    let mut live = Vec::new();
    for _ in 0..ROUNDS {
        let keys = (0..LIVE_KEYS).map(|_| key(folder.path(), "live"));
        live.push(keys.collect::<Result<Vec<_>>>()?);
    }
    let client = client_builder().build()?;
    let origin = format!("http://{}", gateway.address);
    let cookie = sign_in(&client, &origin, "demo-admin").await?;
    let query = json!({ "query": WINDOWS }).to_string();
    let caller = format!("cookie: {cookie}");
    let windows = post("/graphql", &caller, "application/json", query.as_bytes());
    let mut connection = Connection::open(gateway.address).await?;
    connection.succeed(&windows).await?;

    let names = [
        "alone",
        "beside queries for windows",
        "beside probes of /readyz",
        "beside 1,000 callers that wait for the bank",
    ];
    let load = Load::new(vec![gateway.address], vec![lookup("xml", &api_key, 1)]);
    let mut measured = [const { Vec::new() }; 4];
    // Interleaved, so that a slow moment of the machine strikes all.
    for keys in live {
        let floods = [
            None,
            Some(Flood::of(&windows)),
            Some(Flood::of(PROBE)),
            Some(Flood::of_waiting_callers(keys)),
        ];
        for (flood, measured) in floods.iter().zip(&mut measured) {
            // The tasks end with this.
            let _flood = flood.as_ref().map(|flood| flooding(gateway.address, flood));
            measured.push(steady(&load, PER_SECOND, SPAN).await?.p99);
        }
    }
    let p99 = measured.map(|mut runs| percentile(&mut runs, 50));
    let rows = names.iter().zip(p99).map(|(what, beside)| {
        let ratio = beside.as_secs_f64() / p99[0].as_secs_f64();
        row(
            &format!("(m) p99 of {PER_SECOND} admissions/s {what}, in that alone"),
            format!("{} ({ratio:.2})", millis(beside)),
            "–",
        )
    });
    Ok(rows.collect())
}

/// Sends requests again and again, whatever the answers are, until the result is dropped.
fn flooding(address: SocketAddr, flood: &Flood) -> JoinSet<Result<()>> {
    let mut connections = JoinSet::new();
    for number in 0..flood.connections {
        let request = Arc::clone(&flood.request);
        connections.spawn(async move {
            let mut connection = Connection::open(address).await?;
            loop {
                connection.ask(&request(number)).await?;
            }
        });
    }
    connections
}
