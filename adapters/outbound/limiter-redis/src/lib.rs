//! Outbound adapter: exact limits, and turns to ask the bank, in Redis or Redis Cluster, shared by many
//! replicas.
//!
//! # What is kept
//!
//! Three keys for each API key, in one slot of a cluster; `<id>` is the key's id as 32 hexadecimal
//! digits (the port knows no prefix):
//!
//! | key | type | what | time to live |
//! |---|---|---|---|
//! | `cep:{<id>}:s` | hash | status, version, limits, month, charged, refunded, last time, ends of the log | 40 days after the first admission of a month, or a hydration |
//! | `cep:{<id>}:w` | list | the log of the minute's admissions | until the last of them leaves the window |
//! | `cep:{<id>}:r` | sorted set | the last 256 requests refunded, if any | 1 hour |
//!
//! And three of the bank, which all replicas ask from one address, for [`RedisPacer`]:
//!
//! | key | type | what | time to live |
//! |---|---|---|---|
//! | `cep:{bank}:s` | hash | newest time, even spacing, strikes, the newest back-off | 1 day after the last turn or back-off |
//! | `cep:{bank}:w` | sorted set | the turns of the last minute | until the last of them leaves it |
//! | `cep:{bank}:q` | sorted set | who waits | 5 s after the last of them looked |
//!
//! Every call of the port is one script and one round trip: `EVALSHA`, and `EVAL` where a server
//! doesn't know the script yet. On one server, admissions that come while others are under way share
//! the next call, up to 64 of them; a cluster, and a server in cluster mode, is asked for each. The
//! clock is the server's `TIME`; an admission is never earlier than the one before it, and the month
//! only rolls forward, never past the server's. Refusals count nothing.
//! A state that was lost or evicted is [`Verdict::Unknown`](ports::outbound::Verdict::Unknown) and
//! is hydrated from the store; a change that arrives meanwhile is remembered and wins.
//!
//! # What it needs
//!
//! Redis 7.0 or later, or Valkey, with `maxmemory-policy noeviction`: evicting a log would give a
//! key its minute back. When memory is short, admissions are errors then, and whoever asked
//! degrades. A user needs the rights of [`ACL_RULES`], on a cluster those of [`CLUSTER_ACL_RULES`]
//! too; the keys of another [namespace](RedisOptions::namespace) need their own patterns.
//!
//! For `rediss://` the process must have installed its TLS provider.
//!
//! A cluster does better with `cluster-require-full-coverage no`: a node that is lost then fails its
//! own keys alone. While a slot moves to another node, calls for a key may fail of which only one of
//! two keys has arrived; none is counted wrongly.
//!
//! The server's clock should be slewed, never stepped: where it goes back, a key's minute stands
//! still until it has caught up with the key's last admission; where it leaps forward, the minute
//! is over.
//!
//! # When it fails
//!
//! Every failure is an error, and nothing is asked twice: a call whose answer got lost may have
//! counted. What is wrong with the keys of one API key is an error for it alone; where a whole call
//! fails, those who wait behind it fail too, uncounted. What is sent again was refused before it
//! began: a script that isn't loaded, a slot that is elsewhere. A connection that is lost is made anew
//! by the next call.
//!
//! A turn whose answer got lost is taken, and nobody asks the bank by it. A process that ends gives
//! the places of its waiting callers back after 5 s, during which those behind them may wait in vain.
//! Where the server's clock goes back, nobody gets a turn until it has caught up with the last one.
//! A server that knows of no turn gives one at once and then evenly spaced ones, as if those in quick
//! succession had just been taken: it may have lost that they were.
//!
//! A revocation waits up to 100 ms for one replica (`WAIT 1 100`), if the server has any. When none
//! confirms, that is a warning and no error: a replica that takes over without it learns it from the
//! store, after a failure with the key's next request, otherwise with the next round of the
//! reconciliation.

mod admissions;
mod answer;
mod limiter;
mod line;
mod options;
mod pacer;
mod scripts;
mod space;
mod wire;

pub use limiter::RedisLimiter;
pub use options::{RedisLimiterError, RedisOptions, RedisTimeouts};
pub use pacer::RedisPacer;

/// All that a user may do for the limiter and the pacer, as rules of `ACL SETUSER`. With a database other than 0
/// it needs `+select` too.
pub const ACL_RULES: &str = "resetkeys ~cep:{*}:s ~cep:{*}:w ~cep:{*}:r ~cep:{bank}:q \
    resetchannels -@all +evalsha +eval +time +info +wait +hmget +hget +hset +hexists +hincrby \
    +lindex +lrange +lpop +rpush +lset +zadd +zcard +zrange +zrem +zremrangebyrank \
    +zremrangebyscore +pexpire +del";

/// What a user may do besides in a cluster.
pub const CLUSTER_ACL_RULES: &str = "+cluster|slots +ping +asking";
