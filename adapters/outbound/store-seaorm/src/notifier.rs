//! Notifications of lookups to other processes, by PostgreSQL's `NOTIFY`.
//!
//! They are sent after the commit, not in the transaction: a transaction that notifies holds a lock
//! of the whole server while it is flushed to disk, which halves the number of commits a second,
//! and it fails when the server's queue of notifications is full. A process that dies in between
//! loses a few notifications; other processes then find the changes by polling.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use domain::lookups::LookupId;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};

/// Name of the channel. Notifications reach all listeners in the same database.
pub(crate) const CHANNEL: &str = "cep_lookups";
/// Content of the notification of an addition; that of a change is the lookup's id.
pub(crate) const ADDED: &str = "added";
/// Stands for the name of a process that has no journal.
const NOBODY: &str = "-";
/// Maximum number of notifications waiting to be sent; more are dropped.
const MAX_PENDING: usize = 10_000;
/// Sends one notification for each line of a text, in order.
const NOTIFY: &str = "SELECT pg_notify($1, line) FROM string_to_table($2, E'\\n') AS line";

/// Sends notifications, many in one transaction; none on SQLite, which only one process serves.
#[derive(Clone)]
pub(crate) struct Notifier(Option<Arc<Outbox>>);

struct Outbox {
    connection: DatabaseConnection,
    /// Name of this process, set once its journal has started. Listeners ignore their own
    /// notifications.
    writer: Arc<OnceLock<String>>,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    lines: Vec<String>,
    is_sending: bool,
}

impl Notifier {
    /// Creates a notifier over these connections; it sends nothing on SQLite.
    pub(crate) fn new(connection: &DatabaseConnection, writer: &Arc<OnceLock<String>>) -> Self {
        let is_server = connection.get_database_backend() == DbBackend::Postgres;
        Self(is_server.then(|| {
            Arc::new(Outbox {
                connection: connection.clone(),
                writer: Arc::clone(writer),
                pending: Mutex::default(),
            })
        }))
    }

    /// Notifies of an addition by this process.
    pub(crate) fn added(&self) {
        self.send([ADDED.to_owned()]);
    }

    /// Notifies of changes by this process.
    pub(crate) fn changed(&self, lookups: impl IntoIterator<Item = LookupId>) {
        self.send(lookups.into_iter().map(|id| id.to_string()));
    }

    fn send(&self, contents: impl IntoIterator<Item = String>) {
        if let Some(outbox) = &self.0
            && outbox.put(contents)
        {
            tokio::spawn(Arc::clone(outbox).send_all());
        }
    }
}

impl Outbox {
    /// Adds notifications; returns `true` if the caller has to send them.
    fn put(&self, contents: impl IntoIterator<Item = String>) -> bool {
        let writer = self.writer.get().map_or(NOBODY, String::as_str);
        let lines = contents
            .into_iter()
            .map(|content| format!("{writer} {content}"));
        let mut pending = self.pending();
        let free = MAX_PENDING.saturating_sub(pending.lines.len());
        pending.lines.extend(lines.take(free));
        if pending.is_sending || pending.lines.is_empty() {
            return false;
        }
        pending.is_sending = true;
        true
    }

    /// Sends the waiting notifications, and those added meanwhile.
    async fn send_all(self: Arc<Self>) {
        while let Some(lines) = self.take() {
            let values = [CHANNEL.into(), lines.join("\n").into()];
            let notify = Statement::from_sql_and_values(DbBackend::Postgres, NOTIFY, values);
            if let Err(error) = self.connection.execute_raw(notify).await {
                tracing::debug!(%error, "notifications of lookups can't be sent");
            }
        }
    }

    fn take(&self) -> Option<Vec<String>> {
        let mut pending = self.pending();
        let lines = std::mem::take(&mut pending.lines);
        pending.is_sending = !lines.is_empty();
        pending.is_sending.then_some(lines)
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending
            .lock()
            .expect("nothing panics while it holds the pending notifications")
    }
}
