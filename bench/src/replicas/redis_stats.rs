//! Redis' own counters: the commands it was sent, and the memory that keys take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use deadpool_redis::redis::{Client, Connection, cmd};
use domain::key::{CountedKey, KeyId};
use domain::limits::{Limits, MonthlyUse};
use domain::month::Month;
use limiter_redis::{RedisLimiter, RedisOptions, RedisTimeouts};
use ports::outbound::{KeyState, Limiter, Snapshot, Verdict};
use uuid::Uuid;

/// Commands that the script of an admission runs inside of Redis, and those of this benchmark.
const WITHIN: [&str; 11] = [
    "time", "hmget", "hset", "lindex", "lrange", "lpop", "rpush", "lset", "pexpire", "info",
    "script",
];

/// Long, because giving up on Redis on a busy machine would save work.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A connection of the benchmark's own.
pub(super) struct Redis {
    connection: Connection,
    url: String,
}

/// Commands that were sent, by name.
pub(super) type Sent = BTreeMap<String, u64>;

impl Redis {
    pub(super) fn connect(port: u16) -> Result<Self> {
        let url = format!("redis://127.0.0.1:{port}");
        let connection = Client::open(url.as_str())?.get_connection()?;
        Ok(Self { connection, url })
    }

    /// Loads a script; returns its hash.
    pub(super) fn remember(&mut self, script: &str) -> Result<String> {
        let mut command = cmd("SCRIPT");
        command.arg("LOAD").arg(script);
        Ok(command.query(&mut self.connection)?)
    }

    /// Calls of each command, by its own statistics.
    pub(super) fn sent(&mut self) -> Result<Sent> {
        let statistics: String = cmd("INFO")
            .arg("commandstats")
            .query(&mut self.connection)?;
        let calls = |line: &str| {
            let (name, counts) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let calls = counts.split(',').next()?.parse().ok()?;
            (!WITHIN.contains(&name)).then(|| (name.to_owned(), calls))
        };
        Ok(statistics.lines().filter_map(calls).collect())
    }

    /// Bytes of a key which has had all of its minute's requests, evenly over 50 seconds.
    pub(super) async fn memory_of_an_active_key(&mut self, per_minute: u32) -> Result<u64> {
        let shift = Arc::new(AtomicI64::new(0));
        let limiter = limiter(&self.url)?.with_clock_offset(Arc::clone(&shift));
        let key = CountedKey::first(KeyId(Uuid::from_u128(per_minute.into())));
        let state = KeyState {
            revoked: false,
            limits: Limits::new(per_minute, Some(1_000_000))?,
            version: 1,
        };
        let snapshot = Snapshot {
            state,
            month: Month::of(crate::now()?),
            used: MonthlyUse::default(),
        };
        limiter.hydrate(key, snapshot).await?;
        for number in 0..i64::from(per_minute) {
            let behind = number * 50_000 / i64::from(per_minute);
            shift.store(behind, Ordering::SeqCst);
            let verdict = limiter.admit(key).await?;
            ensure!(
                matches!(verdict, Verdict::Admitted { .. }),
                "a request within the limit was {verdict:?}"
            );
        }
        let mut bytes = 0;
        let id = key.id.0.simple();
        for part in ["s", "w"] {
            let name = format!("cep-shifted:{{{id}}}:{part}");
            let mut command = cmd("MEMORY");
            command.arg("USAGE").arg(name).arg("SAMPLES").arg(0);
            let taken: Option<u64> = command.query(&mut self.connection)?;
            bytes += taken.context("a key isn't there")?;
        }
        Ok(bytes)
    }
}

/// The gateway's limiter, with timeouts for a busy machine.
pub(super) fn limiter(url: &str) -> Result<RedisLimiter> {
    let timeouts = RedisTimeouts {
        wait: PATIENCE,
        create: PATIENCE,
        response: PATIENCE,
    };
    let options = RedisOptions {
        timeouts,
        ..RedisOptions::default()
    };
    Ok(RedisLimiter::single(url, &options)?)
}

/// Calls of each command since then; without those that weren't called.
pub(super) fn since(before: &Sent, now: &Sent) -> Sent {
    let more = |(name, calls): (&String, &u64)| {
        let more = calls - before.get(name).unwrap_or(&0);
        (more > 0).then(|| (name.clone(), more))
    };
    now.iter().filter_map(more).collect()
}
