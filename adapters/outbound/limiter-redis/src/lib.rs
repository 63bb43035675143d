//! Outbound adapter: exact rate limits and the bank's query budget in Redis or Redis Cluster, shared
//! by all replicas.
//!
//! # Data model
//!
//! Three keys for each API key, in one slot of a cluster; `<id>` is the key's id as 32 hexadecimal
//! digits (the port knows no prefix). Keys made by rotation share those of the first, and have one of
//! their own:
//!
//! | key | type | content | time to live |
//! |---|---|---|---|
//! | `cep:{<id>}:s` | hash | status, version, limits, month, charged, refunded, last time, ends of the log | 40 days after the first admission of a month, or a hydration |
//! | `cep:{<id>}:w` | list | the log of the minute's admissions | until the last of them leaves the window |
//! | `cep:{<id>}:{<successor>}:s` | hash | status, version and limits of a successor | as the first key's |
//! | `cep:{<id>}:r` | sorted set | the last 256 requests refunded, if any | 1 hour |
//!
//! Three keys of [`RedisPacer`] for the bank, which all replicas query from one address:
//!
//! | key | type | content | time to live |
//! |---|---|---|---|
//! | `cep:{bank}:s` | hash | newest time, even spacing, strikes, the newest back-off | 1 day after the last turn or back-off |
//! | `cep:{bank}:w` | sorted set | turns of the last 61 s | until the last of them leaves it |
//! | `cep:{bank}:q` | hash | the lanes of waiting callers, by replica | while callers wait, 61 s at most |
//!
//! Every call of the port is one script and one round trip: `EVALSHA`, or `EVAL` where a server
//! hasn't cached the script yet. On a single server, admissions that arrive during a call are sent
//! together in the next one, up to 64 of them, and the limits of up to 100 keys are read in one
//! call; on a cluster, and on a server in cluster mode, each key needs its own call. Time is the
//! server's `TIME`. An admission is never dated earlier than the one before it, and the month only
//! moves forward, never past the server's. Refusals change no count. A state that was lost or
//! evicted is [`Verdict::Unknown`](ports::outbound::Verdict::Unknown) and is hydrated from the
//! store; a change that arrives meanwhile is kept and takes precedence.
//!
//! # Requirements
//!
//! Redis 7.0 or later, or Valkey, with `maxmemory-policy noeviction`: evicting a log would give a
//! key its minute back. Without free memory, admissions are errors, and the caller uses its fallback.
//! A user needs the rights of [`ACL_RULES`], on a cluster those of [`CLUSTER_ACL_RULES`] too; the keys
//! of another [namespace](RedisOptions::namespace) need their own patterns.
//!
//! For `rediss://` the process must have installed its TLS provider.
//!
//! A cluster should have `cluster-require-full-coverage no`: the loss of a node then fails its own
//! keys alone. While a slot moves to another node, calls for an API key may fail while only one of its
//! keys has arrived; no count becomes wrong.
//!
//! The server's clock should be slewed, never stepped: after a step backwards a key's minute stands
//! still until the clock has caught up with the key's last admission; a step forwards ends the minute
//! early.
//!
//! # Failures
//!
//! Every failure is an error, and no call is repeated that may have been executed: a call whose
//! reply was lost may have been counted. An error of one API key's keys fails its request alone;
//! when a whole call fails, the requests queued behind it fail too, uncounted. Only commands that
//! were refused before they began are repeated: a script that isn't cached, a slot on another node.
//! The next call replaces a lost connection.
//!
//! A turn whose reply was lost is used up without a query to the bank. The lanes of a process that
//! ended expire after 5 s, during which callers behind them may wait in vain. After a step of the
//! server's clock backwards there is no turn until it has caught up with the last one. A server
//! without any recorded turn grants one at once and then evenly spaced ones, as if a burst had just
//! been used: it may have lost the record of it.
//!
//! A revocation waits up to 100 ms for one replica (`WAIT 1 100`), if the server has any. A missing
//! confirmation is logged as a warning and is no error: a replica that is promoted without the
//! revocation receives it from the store, after a failure with the key's next request, otherwise with
//! the next round of the reconciliation.

mod batching;
mod connection;
mod keyspace;
mod limiter;
mod options;
mod pacer;
mod pool;
mod reply;
mod scripts;

pub use limiter::RedisLimiter;
pub use options::{RedisLimiterError, RedisOptions, RedisTimeouts};
pub use pacer::RedisPacer;

/// Rights of a user of the limiter and the pacer, as rules of `ACL SETUSER`. A database other than 0
/// needs `+select` too.
pub const ACL_RULES: &str = "resetkeys ~cep:{*}:s ~cep:{*}:w ~cep:{*}:r ~cep:{bank}:q \
    resetchannels -@all +evalsha +eval +time +info +wait +hmget +hget +hset +hexists +hincrby \
    +lindex +lrange +lpop +rpush +lset +zadd +zcard +zrange +zremrangebyrank \
    +zremrangebyscore +pexpire +del";

/// Further rights of a user in a cluster.
pub const CLUSTER_ACL_RULES: &str = "+cluster|slots +ping +asking";
