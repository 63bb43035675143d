//! PostgreSQL and Redis for a test: each on a free port, in a folder of its own, and ended with the
//! test.

use testkit::postgres::Postgres;
use testkit::redis::Redis;

mod database;
mod pooler;

pub(crate) use database::Database;
pub(crate) use pooler::Pooler;

/// A database server and Redis.
pub(crate) struct Servers {
    pub(crate) redis: Redis,
    pub(crate) postgres: Postgres,
}

impl Servers {
    /// Starts both; `None`, said aloud, where one of them isn't installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts both, Redis with these arguments.
    pub(crate) fn start_with(redis: &[&str]) -> Option<Self> {
        Some(Self {
            redis: Redis::start(redis)?,
            postgres: database::start_postgres()?,
        })
    }

    pub(crate) fn database_url(&self) -> String {
        self.postgres.url("postgres")
    }
}
