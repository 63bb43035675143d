//! PostgreSQL and Redis for a test: each on a free port, in a folder of its own, and ended with the
//! test.

use testkit::postgres::Postgres;
use testkit::redis::Redis;

mod database;

pub(crate) use database::Database;

/// A database server and Redis.
pub(crate) struct Servers {
    redis: Redis,
    postgres: Postgres,
}

impl Servers {
    /// Both; `None`, said aloud, where one of them isn't installed.
    pub(crate) fn start() -> Option<Self> {
        Some(Self {
            redis: Redis::start(&[])?,
            postgres: database::start_postgres()?,
        })
    }

    pub(crate) fn database_url(&self) -> String {
        self.postgres.url("postgres")
    }

    pub(crate) fn redis_url(&self) -> String {
        self.redis.url()
    }

    /// Starts Redis again, which kept nothing on disk.
    pub(crate) fn start_redis(&mut self) {
        self.redis.start_again();
    }

    /// Ends Redis at once, and all that it knew.
    pub(crate) fn kill_redis(&mut self) {
        self.redis.kill();
    }

    /// Has Redis forget all that it knows, and go on.
    pub(crate) fn empty_redis(&self) {
        self.redis.tell(&["FLUSHALL"]);
    }

    /// Starts PostgreSQL, again on what it had and where it was.
    pub(crate) fn start_postgres(&mut self) {
        self.postgres.start_again();
    }

    /// Stops PostgreSQL as an operator does who doesn't wait for its clients.
    pub(crate) fn stop_postgres(&mut self) {
        self.postgres.end("INT");
    }

    /// Ends all of PostgreSQL at once, as a machine does that goes down.
    pub(crate) fn kill_postgres(&mut self) {
        self.postgres.kill();
    }

    /// From now on PostgreSQL keeps its connections and says nothing, until it is thawed.
    pub(crate) fn freeze_postgres(&self) {
        self.postgres.freeze();
    }

    pub(crate) fn thaw_postgres(&self) {
        self.postgres.thaw();
    }
}
