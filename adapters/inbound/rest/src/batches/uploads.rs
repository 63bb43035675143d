//! Uploaded files of all callers: bounds on their memory, and on those that are processed at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use web::{BodyMemory, HeldBody, LargeBody, Problem, TableType};

use super::BatchCall;

/// Largest table, in bytes.
pub(crate) const MAX_TABLE_BYTES: usize = 16 * 1024 * 1024;
/// Largest ZIP file: the 500 PDFs of the bank's largest batch have about 16 MiB.
pub(crate) const MAX_ARCHIVE_BYTES: usize = 64 * 1024 * 1024;
/// Time in which a table has to arrive: 16 MiB at some 2 Mbit/s.
const TABLE_DEADLINE: Duration = Duration::from_mins(1);
/// Time in which the bank's ZIP file has to arrive: 64 MiB at some 4 Mbit/s.
const ARCHIVE_DEADLINE: Duration = Duration::from_mins(2);

/// Bytes of all tables that are being read or processed: those of two accounts, and more of smaller ones.
const BYTES_OF_TABLES: usize = 4 * MAX_TABLE_BYTES;
/// Bytes of all archives: two of the largest.
const BYTES_OF_ARCHIVES: usize = 2 * MAX_ARCHIVE_BYTES;
/// Tables that are processed at a time. One takes several times its own size.
const TABLES: usize = 2;
/// Archives that are processed at a time, beside the tables: they are inflated.
const ARCHIVES: usize = 1;

/// Memory and places for files, of all callers together. Files of one kind don't wait for those of the other one.
#[derive(Clone)]
pub(crate) struct Uploads {
    tables: Room,
    archives: Room,
}

/// Memory and places for files of one kind.
#[derive(Clone)]
struct Room {
    max_bytes: usize,
    deadline: Duration,
    memory: BodyMemory,
    processing: Arc<Semaphore>,
}

/// A file that arrived; it is one of those in work until this is dropped.
pub(super) struct Uploaded<T> {
    pub(super) file: T,
    pub(super) work: Work,
}

/// The file's part of the bounds.
pub(super) struct Work {
    _memory: web::HeldMemory,
    _processing: OwnedSemaphorePermit,
}

impl Default for Uploads {
    fn default() -> Self {
        Self {
            tables: Room {
                max_bytes: MAX_TABLE_BYTES,
                deadline: TABLE_DEADLINE,
                memory: BodyMemory::new(BYTES_OF_TABLES),
                processing: Arc::new(Semaphore::new(TABLES)),
            },
            archives: Room {
                max_bytes: MAX_ARCHIVE_BYTES,
                deadline: ARCHIVE_DEADLINE,
                memory: BodyMemory::new(BYTES_OF_ARCHIVES),
                processing: Arc::new(Semaphore::new(ARCHIVES)),
            },
        }
    }
}

impl Uploads {
    /// Reads a table, and waits for its turn to be processed.
    pub(super) async fn table(
        &self,
        call: &BatchCall,
    ) -> Result<Uploaded<(TableType, bytes::Bytes)>, Problem> {
        let bounds = self.tables.bounds();
        let read = call.incoming.read_table(&call.headers, &bounds).await;
        let (table, (body, memory)) = read?;
        let work = self.tables.work(memory, call).await?;
        Ok(Uploaded {
            file: (table, body),
            work,
        })
    }

    /// Reads the bank's ZIP file, and waits for its turn to be processed.
    pub(super) async fn archive(
        &self,
        call: &BatchCall,
    ) -> Result<Uploaded<bytes::Bytes>, Problem> {
        let bounds = self.archives.bounds();
        let read = call.incoming.read_archive(&call.headers, &bounds).await;
        let (file, memory): HeldBody = read?;
        let work = self.archives.work(memory, call).await?;
        Ok(Uploaded { file, work })
    }
}

impl Room {
    fn bounds(&self) -> LargeBody {
        LargeBody {
            max_bytes: self.max_bytes,
            deadline: self.deadline,
            memory: self.memory.clone(),
        }
    }

    async fn work(&self, memory: web::HeldMemory, call: &BatchCall) -> Result<Work, Problem> {
        let processing = Arc::clone(&self.processing).acquire_owned().await;
        Ok(Work {
            _memory: memory,
            _processing: processing.map_err(|error| call.unwritten(&error))?,
        })
    }
}
