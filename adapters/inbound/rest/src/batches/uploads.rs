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

/// Bytes of all files that are being read or processed: the largest archive, and as much again.
const BYTES: usize = 2 * MAX_ARCHIVE_BYTES;
/// Tables that are processed at a time. One takes several times its own size.
const TABLES: u32 = 2;

/// Places and memory for files, of all callers together.
#[derive(Clone)]
pub(crate) struct Uploads {
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
            memory: BodyMemory::new(BYTES),
            processing: Arc::new(Semaphore::new(TABLES as usize)),
        }
    }
}

impl Uploads {
    /// Reads a table, and waits for its turn to be processed.
    pub(super) async fn table(
        &self,
        call: &BatchCall,
    ) -> Result<Uploaded<(TableType, bytes::Bytes)>, Problem> {
        let bounds = self.bounds(MAX_TABLE_BYTES, TABLE_DEADLINE);
        let read = call.incoming.read_table(&call.headers, &bounds).await;
        let (table, (body, memory)) = read?;
        let work = self.work(memory, 1, call).await?;
        Ok(Uploaded {
            file: (table, body),
            work,
        })
    }

    /// Reads the bank's ZIP file, and waits for its turn to be processed, alone: it is inflated.
    pub(super) async fn archive(
        &self,
        call: &BatchCall,
    ) -> Result<Uploaded<bytes::Bytes>, Problem> {
        let bounds = self.bounds(MAX_ARCHIVE_BYTES, ARCHIVE_DEADLINE);
        let read = call.incoming.read_archive(&call.headers, &bounds).await;
        let (file, memory): HeldBody = read?;
        let work = self.work(memory, TABLES, call).await?;
        Ok(Uploaded { file, work })
    }

    fn bounds(&self, max_bytes: usize, deadline: Duration) -> LargeBody {
        LargeBody {
            max_bytes,
            deadline,
            memory: self.memory.clone(),
        }
    }

    async fn work(
        &self,
        memory: web::HeldMemory,
        places: u32,
        call: &BatchCall,
    ) -> Result<Work, Problem> {
        let processing = Arc::clone(&self.processing);
        let processing = processing.acquire_many_owned(places).await;
        Ok(Work {
            _memory: memory,
            _processing: processing.map_err(|error| call.unwritten(&error))?,
        })
    }
}
