//! The two ways to run the gateway: alone, or as replicas.

use anyhow::{Result, bail};

use super::database::DatabaseOptions;
use super::replicas::ReplicaOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deployment {
    /// One process, with an embedded database and the limits in its memory.
    Embedded,
    /// Any number of processes, which share a database server and Redis.
    Replicated,
}

impl Deployment {
    /// Derives the deployment from the database alone, for commands that need no limits.
    pub fn of_database(database: &DatabaseOptions) -> Self {
        if database.is_server() {
            Self::Replicated
        } else {
            Self::Embedded
        }
    }

    /// Derives the deployment from the options.
    ///
    /// # Errors
    /// A database server without Redis, or Redis without one: limits would be multiplied, or lost.
    pub fn of(database: &DatabaseOptions, replicas: &ReplicaOptions) -> Result<Self> {
        match (database.is_server(), replicas.has_redis()) {
            (false, false) => Ok(Self::Embedded),
            (true, true) => Ok(Self::Replicated),
            (true, false) => bail!(
                "CEP_DATABASE_URL names a server that replicas share, and their limits would be \
                 each its own: set CEP_REDIS_URL or CEP_REDIS_CLUSTER too"
            ),
            (false, true) => bail!(
                "CEP_REDIS_URL and CEP_REDIS_CLUSTER are for replicas, which need a database server: \
                 set CEP_DATABASE_URL to postgres://…, or leave Redis out"
            ),
        }
    }
}
