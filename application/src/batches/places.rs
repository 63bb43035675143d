//! Places of an account's uploads, downloads and waits, so that one account takes no more than its share of what all
//! have.

use std::sync::Arc;

use super::upload::UploadedFile;
use domain::customer::CustomerId;

use crate::sync::counted_places::{CountedPlace, CountedPlaces};
use crate::sync::places::{Place, Places};

/// Tables of one account that are read and processed at the same time, at most. One has up to 16 MiB.
const TABLES: usize = 2;
/// Archives, likewise. One has up to 64 MiB.
const ARCHIVES: usize = 1;
/// Downloads of one account at the same time, at most, and of all accounts. Each has the proofs of a chunk in memory,
/// some 4 MiB.
const DOWNLOADS: (u32, u32) = (4, 32);
/// Readers of one account that wait for a change at the same time, at most, and of all accounts: each reads once a
/// second, over a pool of a few connections where people are.
const WAITS: (u32, u32) = (16, u32::MAX);

/// Places in this process, whichever service they are for.
pub struct BatchPlaces {
    tables: Places,
    archives: Places,
    downloads: Arc<CountedPlaces<CustomerId>>,
    waits: Arc<CountedPlaces<CustomerId>>,
}

/// A place that an account has all the time that this is held.
pub(super) type AccountPlace = CountedPlace<CustomerId>;

impl Default for BatchPlaces {
    fn default() -> Self {
        Self {
            tables: Places::new(TABLES),
            archives: Places::new(ARCHIVES),
            downloads: CountedPlaces::new(DOWNLOADS.0, DOWNLOADS.1),
            waits: CountedPlaces::new(WAITS.0, WAITS.1),
        }
    }
}

impl BatchPlaces {
    /// Waits until the customer has fewer uploads of this kind than it may.
    pub(super) async fn upload(&self, customer: CustomerId, file: UploadedFile) -> Place {
        let places = match file {
            UploadedFile::Table => &self.tables,
            UploadedFile::Archive => &self.archives,
        };
        places.take(customer).await
    }

    /// A place of a download; `None` when there is none for the customer.
    pub(super) fn download(&self, customer: CustomerId) -> Option<AccountPlace> {
        self.downloads.take(customer)
    }

    /// A place of a reader who waits; `None` when there is none for the customer.
    pub(super) fn wait(&self, customer: CustomerId) -> Option<AccountPlace> {
        self.waits.take(customer)
    }
}
