//! How many requests a second the journal writes, and what one costs.
//!
//! `cargo run --release -p store-seaorm --example journal_throughput -- [REQUESTS] [KEYS] [AT_ONCE]`
//!
//! Each request is an admission and its conclusion; `AT_ONCE` of them are under way at a time, as
//! behind a server.
#![expect(clippy::print_stdout, reason = "it reports to a terminal")]

use std::error::Error;
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::customer::CustomerId;
use domain::key::KeyId;
use domain::month::Month;
use domain::outcome::{Endpoint, Outcome};
use domain::request::RequestId;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use ports::outbound::{AdmissionEntry, RequestEntry, UsageJournal};
use store_seaorm::{Store, sqlite_url};
use uuid::Uuid;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse());
    let mut next = |usual: u64| numbers.next().unwrap_or(Ok(usual));
    let (requests, keys, at_once) = (next(300_000)?, next(100)?, next(2_000)?);
    let folder = tempfile::tempdir_in(std::env::current_dir()?)?;
    let store = Store::open(&sqlite_url(&folder.path().join("cep.db"))?).await?;
    store.migrate().await?;
    let journal = store.journal(Uuid::nil());

    let (cpu, clock) = (cpu_time()?, Instant::now());
    let mut slowest = Duration::ZERO;
    let mut under_way = FuturesUnordered::new();
    for number in 0..requests {
        if number >= at_once {
            let took: Duration = under_way.next().await.ok_or("nothing is under way")??;
            slowest = slowest.max(took);
        }
        let (admission, conclusion) = entries(number, keys);
        let asked = Instant::now();
        let receipt = journal.admit(admission);
        let journal = journal.clone();
        under_way.push(async move {
            receipt.await?;
            journal.conclude(conclusion);
            Ok::<_, Box<dyn Error>>(asked.elapsed())
        });
    }
    while let Some(took) = under_way.next().await {
        slowest = slowest.max(took?);
    }
    journal.close().await?;
    let (cpu, wall) = (cpu_time()?.saturating_sub(cpu), clock.elapsed());
    let count = u32::try_from(requests)?;
    println!(
        "{requests} requests of {keys} keys, {at_once} at once: {:.0}/s; a request took {:?} of \
         the clock, {:?} of the processor; the slowest receipt {slowest:?}",
        f64::from(count) / wall.as_secs_f64(),
        wall / count,
        cpu / count,
    );
    Ok(())
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
