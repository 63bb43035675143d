//! Redis' own counters: the commands it was sent, and the memory that keys take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use domain::keys::{CountedKey, KeyId};
use domain::limits::Limits;
use limiter_redis::{RedisLimiter, RedisOptions, RedisTimeouts};
use ports::outbound::{Limiter, Verdict};
use testkit::redis::Redis;
use uuid::Uuid;

use super::keys::unused;

/// Commands that the script of an admission runs inside of Redis, and those of this benchmark.
const WITHIN: [&str; 11] = [
    "time", "hmget", "hset", "lindex", "lrange", "lpop", "rpush", "lset", "pexpire", "info",
    "script",
];

/// Long, because giving up on Redis on a busy machine would save work.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Commands that were sent, by name.
pub(super) type Sent = BTreeMap<String, u64>;

/// Calls of each command, by Redis' own statistics.
pub(super) fn sent(redis: &Redis) -> Sent {
    let statistics = redis.ask(&["INFO", "commandstats"]);
    let calls = |line: &str| {
        let (name, counts) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        let calls = counts.split(',').next()?.parse().ok()?;
        (!WITHIN.contains(&name)).then(|| (name.to_owned(), calls))
    };
    statistics.lines().filter_map(calls).collect()
}

/// Bytes of a key which has had all of its minute's requests, evenly over 50 seconds.
pub(super) async fn memory_of_an_active_key(redis: &Redis, per_minute: u32) -> Result<i64> {
    let shift = Arc::new(AtomicI64::new(0));
    let limiter = limiter(redis)?.with_clock_offset(Arc::clone(&shift));
    let key = CountedKey::first(KeyId(Uuid::from_u128(per_minute.into())));
    let limits = Limits::new(per_minute, Some(1_000_000))?;
    limiter.hydrate(key, unused(limits, crate::now()?)).await?;
    for number in 0..i64::from(per_minute) {
        let behind = number * 50_000 / i64::from(per_minute);
        shift.store(behind, Ordering::SeqCst);
        let verdict = limiter.admit(key).await?;
        ensure!(
            matches!(verdict, Verdict::Admitted { .. }),
            "a request within the limit was {verdict:?}"
        );
    }
    let id = key.id.0.simple();
    let names = ["s", "w"].map(|part| format!("cep-shifted:{{{id}}}:{part}"));
    let bytes = names.map(|name| redis.number(&["MEMORY", "USAGE", &name, "SAMPLES", "0"]));
    Ok(bytes.iter().sum())
}

/// The gateway's limiter, with timeouts for a busy machine.
pub(super) fn limiter(redis: &Redis) -> Result<RedisLimiter> {
    let timeouts = RedisTimeouts {
        wait: PATIENCE,
        create: PATIENCE,
        response: PATIENCE,
    };
    let options = RedisOptions {
        timeouts,
        ..RedisOptions::default()
    };
    Ok(RedisLimiter::single(&redis.url(), &options)?)
}

/// Calls of each command since then; without those that weren't called.
pub(super) fn since(before: &Sent, now: &Sent) -> Sent {
    let more = |(name, calls): (&String, &u64)| {
        let more = calls - before.get(name).unwrap_or(&0);
        (more > 0).then(|| (name.clone(), more))
    };
    now.iter().filter_map(more).collect()
}
