//! The keys of the benchmark, in the form that each measured program needs.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use domain::keys::{CountedKey, Environment, FullKey, HashGeneration, KeyHash, KeyHasher, KeyId};
use domain::limits::{Limits, MAX_PER_MINUTE, MonthlyUse};
use domain::month::Month;
use limiter_redis::RedisLimiter;
use ports::outbound::{KeyState, Limiter, Snapshot};
use tokio::task::JoinSet;

use super::servers::{Postgres, SECRET};
use crate::load::lookup;
use crate::seeded_rng::SeededRng;

/// Number of the first keys, which few callers share: their limits are as high as possible.
pub(super) const BUSY: usize = 100;
/// Requests a minute of the others: the most for which Redis keeps an exact log.
const PER_MINUTE: u32 = 6_000;
/// Keys that are sent to Redis at the same time.
const AT_ONCE: usize = 64;

/// Keys of one customer.
pub(super) struct Keys {
    all: Vec<Key>,
    customer: KeyId,
    now: DateTime<Utc>,
}

struct Key {
    id: KeyId,
    secret: FullKey,
    hash: KeyHash,
    limits: Limits,
}

impl Keys {
    /// So many keys for the sandbox bank.
    pub(super) fn make(count: usize) -> Result<Self> {
        let (mut rng, now) = (SeededRng(1), crate::now()?);
        let hasher = KeyHasher::new(vec![(HashGeneration(1), SECRET.into())])?;
        let keys = (0..count).map(|number| {
            let secret = FullKey::generate(Environment::Test, &mut |bytes| rng.fill(bytes));
            let per_minute = match number {
                0..BUSY => MAX_PER_MINUTE,
                _ => PER_MINUTE,
            };
            Ok(Key {
                id: KeyId(rng.id(now)),
                hash: hasher.hash(&secret).0,
                secret,
                limits: Limits::new(per_minute, None)?,
            })
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let customer = keys.first().context("no keys")?.id;
        Ok(Self {
            all: keys,
            customer,
            now,
        })
    }

    /// One request with each of these keys for the same proof.
    pub(super) fn requests(&self, range: std::ops::Range<usize>) -> Vec<Vec<u8>> {
        let request = |key: &Key| lookup("xml", key.secret.reveal(), 1);
        self.all[range].iter().map(request).collect()
    }

    /// Inserts them into the gateway's database in one statement.
    pub(super) fn fill(&self, postgres: &Postgres) -> Result<()> {
        let (customer, now) = (self.customer, self.now.timestamp_millis());
        postgres.run(
            "COPY customers (id, issuer, subject, plan, created_at) FROM STDIN",
            &format!("{customer}\tbench\tbench\tenterprise\t{now}\n"),
        )?;
        let mut rows = String::new();
        for key in &self.all {
            let (id, prefix, hash) = (key.id, key.secret.prefix().as_str(), hex(&key.hash));
            let per_minute = key.limits.per_minute();
            writeln!(
                rows,
                "{id}\t{customer}\tbench\t{prefix}\ttest\t{hash}\t1\t{per_minute}\t{now}\t1"
            )?;
        }
        postgres.run(
            "COPY api_keys (id, customer_id, name, prefix, environment, hash, hash_generation, \
             per_minute, created_at, version) FROM STDIN",
            &rows,
        )?;
        postgres.run("ANALYZE", "")
    }

    /// Sends them to Redis, as the gateway does at a key's first request.
    pub(super) async fn hydrate(self: &Arc<Self>, limiter: &Arc<RedisLimiter>) -> Result<()> {
        let mut telling = JoinSet::new();
        for first in 0..AT_ONCE {
            let (keys, limiter) = (Arc::clone(self), Arc::clone(limiter));
            telling.spawn(async move {
                for key in keys.all.iter().skip(first).step_by(AT_ONCE) {
                    let snapshot = unused(key.limits, keys.now);
                    limiter.hydrate(CountedKey::first(key.id), snapshot).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(told) = telling.join_next().await {
            told??;
        }
        Ok(())
    }

    /// Lines of prefix, hash, and the three names in Redis.
    pub(super) fn for_nginx(&self) -> Result<String> {
        let mut lines = String::new();
        for key in &self.all {
            let (prefix, hash, id) = (key.secret.prefix(), hex(&key.hash), key.id.0.simple());
            let prefix = prefix.as_str();
            let names = format!("cep:{{{id}}}:s cep:{{{id}}}:s cep:{{{id}}}:w");
            writeln!(lines, "{prefix} {hash} {names}")?;
        }
        Ok(lines)
    }
}

/// A key that wasn't used this month.
pub(super) fn unused(limits: Limits, now: DateTime<Utc>) -> Snapshot {
    Snapshot {
        state: KeyState {
            revoked: false,
            limits,
            version: 1,
        },
        month: Month::of(now),
        used: MonthlyUse::default(),
    }
}

fn hex(hash: &KeyHash) -> String {
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]);
    hash.0.iter().flat_map(digits).map(char::from).collect()
}
