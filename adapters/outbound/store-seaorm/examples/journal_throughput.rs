//! Throughput of the journal in requests a second, and the cost of one.
//!
//! `cargo run --release -p store-seaorm --example journal_throughput -- [REQUESTS] [KEYS] [AT_ONCE]
//! [JOURNALS] [URL]`
//!
//! Each request is an admission and its conclusion; `AT_ONCE` of them are in flight, as behind a
//! server, at each of the `JOURNALS`, which share the requests as replicas do. `URL` is that of an
//! empty database; without it, a SQLite file in the working folder.
#![expect(clippy::print_stdout, reason = "it reports to a terminal")]

use std::error::Error;
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::keys::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::people::customer::CustomerId;
use domain::request::RequestId;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ports::outbound::{AdmissionEntry, JournalError, RequestEntry, UsageJournal};
use store_seaorm::{Journal, Store, sqlite_url};
use uuid::Uuid;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse());
    let mut next = |usual: u64| numbers.next().unwrap_or(Ok(usual));
    let (requests, keys, at_once) = (next(300_000)?, next(100)?, next(2_000)?);
    let journals = next(1)?;
    let folder = tempfile::tempdir_in(std::env::current_dir()?)?;
    let url = match std::env::args().nth(5) {
        Some(url) => url,
        None => sqlite_url(&folder.path().join("cep.db"))?,
    };
    Store::open(&url).await?.migrate().await?;
    let (cpu, clock) = (cpu_time()?, Instant::now());
    let mut running = Vec::new();
    for journal in 0..journals {
        let journal = Store::open(&url)
            .await?
            .journal(Uuid::from_u128(journal.into()));
        let numbers = (0..requests)
            .skip(running.len())
            .step_by(usize::try_from(journals)?);
        running.push(tokio::spawn(write(journal, numbers, keys, at_once)));
    }
    let mut slowest = Duration::ZERO;
    for journal in running {
        slowest = slowest.max(journal.await?.map_err(|error| error.to_string())?);
    }
    let (cpu, wall) = (cpu_time()?.saturating_sub(cpu), clock.elapsed());
    let count = u32::try_from(requests)?;
    println!(
        "{requests} requests of {keys} keys by {journals} journals, {at_once} at once: {:.0}/s; a \
         request took {:?} of the clock, {:?} of the processor; the slowest receipt {slowest:?}",
        f64::from(count) / wall.as_secs_f64(),
        wall / count,
        cpu / count,
    );
    Ok(())
}

/// Writes requests; returns the latency of the slowest receipt.
async fn write(
    journal: Journal,
    numbers: impl Iterator<Item = u64>,
    keys: u64,
    at_once: u64,
) -> Result<Duration, JournalError> {
    let mut slowest = Duration::ZERO;
    let mut under_way = FuturesUnordered::new();
    for (place, number) in (0..).zip(numbers) {
        if place >= at_once
            && let Some(took) = under_way.next().await
        {
            let took: Result<Duration, JournalError> = took;
            slowest = slowest.max(took?);
        }
        let (admission, conclusion) = entries(number, keys);
        let asked = Instant::now();
        let receipt = journal.admit(admission);
        let journal = journal.clone();
        under_way.push(async move {
            receipt.await?;
            journal.conclude(conclusion);
            Ok(asked.elapsed())
        });
    }
    while let Some(took) = under_way.next().await {
        slowest = slowest.max(took?);
    }
    journal.close().await?;
    Ok(slowest)
}

fn entries(number: u64, keys: u64) -> (AdmissionEntry, RequestEntry) {
    let millis = 1_795_262_400_000 + number / 30;
    let at = DateTime::from_timestamp_millis(millis.cast_signed()).unwrap_or_default();
    let mut random = [0; 10];
    // Ids differ behind the millisecond, as those of version 7 do.
    random[..8].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
    let id = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
    let key = KeyId(Uuid::from_u128(u128::from(number % keys)));
    let admission = AdmissionEntry {
        key,
        month: Month::of(at),
        at,
    };
    let conclusion = RequestEntry {
        id,
        request_id: RequestId::from_uuid(id),
        key,
        customer: CustomerId(key.0),
        endpoint: Endpoint::XmlAuto,
        outcome: Outcome::Delivered,
        banks: None,
        at,
        duration: Duration::from_millis(20),
        bank_time: Some(Duration::from_millis(15)),
        refund: None,
        delivered: Vec::new(),
        seal: None,
    };
    (admission, conclusion)
}

/// Processor time of all threads of this process (`/proc/self/stat`, fields 14 and 15, in
/// hundredths of a second).
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').ok_or("no such fields")?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(str::parse::<u64>).sum::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}
