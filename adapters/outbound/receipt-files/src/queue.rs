//! Bounds on how many files are read at once, and how many wait.

use std::sync::Arc;

use domain::receipts::ReceiptFileError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places at which files are read, and a queue before them.
#[derive(Debug)]
pub(crate) struct Queue {
    places: Arc<Semaphore>,
    /// Places of those that wait.
    waiting: Semaphore,
}

impl Queue {
    pub(crate) fn new(places: usize, most_waiting: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            waiting: Semaphore::new(most_waiting),
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
        let _waiting = self
            .waiting
            .try_acquire()
            .map_err(|_| ReceiptFileError::Busy)?;
        let place = Arc::clone(&self.places).acquire_owned().await;
        place.map_err(|_| ReceiptFileError::Busy)
    }
}
