//! Limits on the memory and the concurrent processing of uploaded files, over all callers.

use std::sync::Arc;
use std::time::Duration;

use application::{UploadPlace, UploadedFile, Uploader};
use domain::batches::sheet::is_workbook;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use web::{BodyMemory, HeldBody, LargeBody, Problem, TableBody};

use super::BatchCall;

/// Maximum bytes of a table.
pub(crate) const MAX_TABLE_BYTES: usize = 16 * 1024 * 1024;
/// Maximum bytes of the corrections of a table.
pub(super) const MAX_CORRECTIONS_BYTES: usize = 1024 * 1024;
/// Maximum bytes of a form with a table and its corrections. Their headers and boundaries take less than 16 KiB.
const MAX_FORM_BYTES: usize = MAX_TABLE_BYTES + MAX_CORRECTIONS_BYTES + 16 * 1024;
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
/// Maximum bytes of a table of text that is processed at once: it takes some milliseconds. Workbooks hold many times
/// their size.
const SMALL_TABLE: usize = 64 * 1024;
/// ZIP files processed concurrently; decompressed, they take much more memory.
const ARCHIVES: usize = 1;

/// Time that a file waits, unread, for another one of its account.
const PATIENCE: Duration = Duration::from_secs(5);
/// `Retry-After` of a file for which an account has no place: those before it may take their deadline, or end at once.
const RETRY_AFTER: Duration = Duration::from_secs(10);

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

/// The account's place, memory and processing permits of a file, released on drop.
pub(super) struct Work {
    _place: UploadPlace,
    _memory: web::HeldMemory,
    /// `None` until the processing begins, and for a small table of text.
    processing: Option<OwnedSemaphorePermit>,
}

impl Work {
    fn new(place: UploadPlace, memory: web::HeldMemory) -> Self {
        Self {
            _place: place,
            _memory: memory,
            processing: None,
        }
    }
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
    /// Checks the headers of a table or a form with one, waits for a place of the account, and receives the body.
    pub(super) async fn table(
        &self,
        call: &BatchCall,
        uploader: &Uploader,
    ) -> Result<Uploaded<(TableBody, bytes::Bytes)>, Problem> {
        let declared = TableBody::of(&call.headers)?;
        let bounds = match declared {
            TableBody::Table(_) => self.tables.bounds(),
            TableBody::Form { .. } => LargeBody {
                max_bytes: MAX_FORM_BYTES,
                ..self.tables.bounds()
            },
        };
        call.incoming.check_length(bounds.max_bytes).await?;
        let place = place(uploader, UploadedFile::Table).await?;
        let (body, memory) = call.incoming.read_large(&bounds).await?;
        Ok(Uploaded {
            file: (declared, body),
            work: Work::new(place, memory),
        })
    }

    /// Waits for a permit to process the table. A small one of text needs none, so that workbooks don't hold it up.
    pub(super) async fn begin(
        &self,
        work: &mut Work,
        table: &[u8],
        call: &BatchCall,
    ) -> Result<(), Problem> {
        if table.len() > SMALL_TABLE || is_workbook(table) {
            work.processing = Some(self.tables.processing(call).await?);
        }
        Ok(())
    }

    /// Checks the headers of the bank's ZIP file, waits for a place of the account, receives the file, and waits
    /// for a processing permit.
    pub(super) async fn archive(
        &self,
        call: &BatchCall,
        uploader: &Uploader,
    ) -> Result<Uploaded<bytes::Bytes>, Problem> {
        let bounds = self.archives.bounds();
        let (headers, incoming) = (&call.headers, &call.incoming);
        incoming.check_archive(headers, bounds.max_bytes).await?;
        let place = place(uploader, UploadedFile::Archive).await?;
        let (file, memory): HeldBody = incoming.read_archive(headers, &bounds).await?;
        let mut work = Work::new(place, memory);
        work.processing = Some(self.archives.processing(call).await?);
        Ok(Uploaded { file, work })
    }
}

async fn place(uploader: &Uploader, file: UploadedFile) -> Result<UploadPlace, Problem> {
    let place = timeout(PATIENCE, uploader.place(file)).await;
    place.map_err(|_| Problem::TooManyUploads {
        retry_after: RETRY_AFTER,
    })
}

impl Room {
    fn bounds(&self) -> LargeBody {
        LargeBody {
            max_bytes: self.max_bytes,
            deadline: self.deadline,
            memory: self.memory.clone(),
        }
    }

    async fn processing(&self, call: &BatchCall) -> Result<OwnedSemaphorePermit, Problem> {
        let permit = Arc::clone(&self.processing).acquire_owned().await;
        permit.map_err(|error| call.unwritten(&error))
    }
}
