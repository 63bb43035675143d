//! Warns while SQLite's write-ahead log is much larger than it should be.

use store_seaorm::Store;

/// The log is restarted after some MiB of changes, unless a reader keeps an older state of the
/// database open: then it grows with every change until that reader ends.
const LARGE: u64 = 64 << 20;

/// Logs a line when the log becomes large, and one when it isn't any more.
pub(crate) struct LogSizeWarning {
    store: Store,
    is_large: bool,
}

impl LogSizeWarning {
    pub(crate) fn new(store: Store) -> Self {
        let is_large = false;
        Self { store, is_large }
    }

    /// Looks at the log's size. A database server has no such log.
    pub(crate) fn check(&mut self) {
        let Some(bytes) = self.store.log_bytes() else {
            return;
        };
        let is_large = bytes >= LARGE;
        if is_large && !self.is_large {
            tracing::warn!(
                bytes,
                "the database's write-ahead log is large: another program keeps a transaction open \
                 (look for it with `fuser` or `lsof` on cep.db); the log grows until it ends, and the \
                 disk has to have room for it"
            );
        } else if !is_large && self.is_large {
            tracing::info!(bytes, "the database's write-ahead log is small again");
        }
        self.is_large = is_large;
    }
}
