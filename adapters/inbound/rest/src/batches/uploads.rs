//! Limits on the memory and the concurrent processing of uploaded files, over all callers.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use web::{BodyMemory, HeldBody, LargeBody, Problem, TableType};

use super::BatchCall;

/// Maximum bytes of a table.
pub(crate) const MAX_TABLE_BYTES: usize = 16 * 1024 * 1024;
/// Maximum bytes of a ZIP file. The 500 PDFs of the bank's largest batch have about 16 MiB.
pub(crate) const MAX_ARCHIVE_BYTES: usize = 64 * 1024 * 1024;
/// Time in which a table must arrive: 16 MiB at about 2 Mbit/s.
const TABLE_DEADLINE: Duration = Duration::from_mins(1);
/// Time in which the bank's ZIP file must arrive: 64 MiB at about 4 Mbit/s.
const ARCHIVE_DEADLINE: Duration = Duration::from_mins(2);

/// Maximum bytes of all tables that are being received or processed: four of the largest, or more
/// smaller ones.
const BYTES_OF_TABLES: usize = 4 * MAX_TABLE_BYTES;
/// Maximum bytes of all ZIP files that are being received or processed: two of the largest.
const BYTES_OF_ARCHIVES: usize = 2 * MAX_ARCHIVE_BYTES;
/// Tables processed concurrently. Each takes several times its own size in memory.
const TABLES: usize = 2;
/// ZIP files processed concurrently; decompressed, they take much more memory.
const ARCHIVES: usize = 1;

/// Memory and processing limits, with separate limits for tables and ZIP files.
#[derive(Clone)]
pub(crate) struct Uploads {
    tables: Room,
    archives: Room,
}

/// Limits for one kind of file.
#[derive(Clone)]
struct Room {
    max_bytes: usize,
    deadline: Duration,
    memory: BodyMemory,
    processing: Arc<Semaphore>,
}

/// A received file, with its permits.
pub(super) struct Uploaded<T> {
    pub(super) file: T,
    pub(super) work: Work,
}

/// Memory and processing permits of a file, released on drop.
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
    /// Receives a table, and waits for a processing permit.
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

    /// Receives the bank's ZIP file, and waits for a processing permit.
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
