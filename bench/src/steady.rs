//! Open-loop load: requests at a constant rate, however long answers take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::load::{Connection, Load, percentile};

/// Latencies of callers at a constant rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

/// Sends `per_second` requests a second for `span`, and measures those after the first second.
/// Latencies count from the moment that a request was due.
pub(crate) async fn steady(load: &Arc<Load>, per_second: u32, span: Duration) -> Result<Steady> {
    let (tell, mut due) = unbounded_channel();
    let pacer = std::thread::spawn(move || pace(per_second, span, &tell));
    let mut idle: Vec<Connection> = Vec::new();
    let mut asking = JoinSet::new();
    let (mut opened, mut latencies) = (0, Vec::new());
    while let Some(moment) = due.recv().await {
        while let Some(done) = asking.try_join_next() {
            let (connection, latency) = done??;
            idle.push(connection);
            latencies.push(latency);
        }
        let connection = idle.pop();
        let load = Arc::clone(load);
        opened += usize::from(connection.is_none());
        let number = opened;
        asking.spawn(async move {
            let mut connection = match connection {
                Some(connection) => connection,
                None => load.connect(number).await?,
            };
            let status = load.ask(&mut connection).await?;
            ensure!(status == 200, "a request at a constant rate: {status}");
            Ok((connection, moment.elapsed()))
        });
    }
    while let Some(done) = asking.join_next().await {
        latencies.push(done??.1);
    }
    // The scheduler has sent all its ticks.
    let _ = pacer.join();
    let warm = usize::try_from(per_second)?.min(latencies.len());
    let measured = &mut latencies[warm..];
    Ok(Steady {
        p50: percentile(measured, 50),
        p99: percentile(measured, 99),
    })
}

/// Ticks when requests are due. A thread of its own: the runtime's timer counts whole milliseconds.
fn pace(per_second: u32, span: Duration, tell: &UnboundedSender<Instant>) {
    let (started, period) = (Instant::now(), Duration::from_secs(1) / per_second);
    let mut due = started;
    while due < started + span {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if tell.send(due).is_err() {
            return;
        }
        due += period;
    }
}
