//! Bounds on how many files are read at once, and how many wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::receipts::ReceiptFileError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places at which files are read, and a queue before them.
#[derive(Debug)]
pub(crate) struct Queue {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// One that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queue {
    pub(crate) fn new(places: usize, most_waiting: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            waiting: AtomicUsize::new(0),
            most_waiting,
        }
    }

    /// Waits for a place, which is free again when it is dropped.
    ///
    /// # Errors
    /// [`ReceiptFileError::Busy`] if too many wait.
    pub(crate) async fn enter(&self) -> Result<OwnedSemaphorePermit, ReceiptFileError> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(place);
        }
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if before >= self.most_waiting {
            return Err(ReceiptFileError::Busy);
        }
        let place = Arc::clone(&self.places).acquire_owned().await;
        place.map_err(|_| ReceiptFileError::Busy)
    }
}
