//! Options of a store's connections.

use std::time::Duration;

use sea_orm::DbBackend;

/// Time added to a statement's timeout for the round trip to the server.
const GRACE: Duration = Duration::from_millis(500);

/// Connection pool sizes and timeouts.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// Size of the pool, without the journal's connections.
    pub connections: u32,
    /// SQLite: time that a statement waits for another process that writes.
    pub busy_timeout: Duration,
    /// PostgreSQL: time that an operation waits for a connection, one that becomes free or a new
    /// one.
    pub connect_timeout: Duration,
    /// PostgreSQL: longest duration of a statement.
    pub statement_timeout: Duration,
    /// PostgreSQL: time that a statement waits for a locked row.
    pub lock_timeout: Duration,
    /// Capacity of the journal's queue, in entries.
    pub journal_capacity: usize,
    /// Time that a journal entry may wait to become durable before its receipt fails.
    pub journal_patience: Duration,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            connections: 4,
            busy_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            journal_capacity: 100_000,
            journal_patience: Duration::from_secs(5),
        }
    }
}

impl StoreOptions {
    /// Longest duration of a whole operation: `connect_timeout` and twice `statement_timeout`.
    /// Enforced here because a server that disappeared without closing its connections reports no
    /// timeout.
    pub(crate) fn step_timeout(&self, backend: DbBackend) -> Option<Duration> {
        (backend == DbBackend::Postgres).then(|| self.connect_timeout + 2 * self.statement_timeout)
    }

    /// Options of the journal's own connections. A statement that takes longer than an entry may
    /// wait is of no use any more, and holds rows that other processes wait for.
    pub(crate) fn for_journal(self) -> Self {
        Self {
            statement_timeout: self.statement_timeout.min(self.journal_patience),
            ..self
        }
    }

    /// Time that the journal waits for an answer: the server itself ends a statement sooner.
    pub(crate) fn answer_timeout(&self, backend: DbBackend) -> Option<Duration> {
        let statement = self.for_journal().statement_timeout;
        (backend == DbBackend::Postgres).then(|| statement.max(self.connect_timeout) + GRACE)
    }
}

/// Time at which a pool opens its first connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstConnection {
    /// At once, so that an unusable database fails early.
    Now,
    /// On first use.
    Later,
}
