//! Uploads of an account's files: a bounded number at a time.

use domain::customer::CustomerId;

use crate::sync::places::{Place, Places};

/// Files of one account that are read and processed at the same time, at most: a table takes some 16 MiB,
/// and so long to arrive as its sender likes.
const MOST: usize = 2;

/// Uploads in this process, whichever service they are for.
pub struct BatchUploads(Places);

impl Default for BatchUploads {
    fn default() -> Self {
        Self(Places::new(MOST))
    }
}

impl BatchUploads {
    /// Waits until the customer has fewer uploads than it may.
    pub(super) async fn place(&self, customer: CustomerId) -> Place {
        self.0.take(customer).await
    }
}
