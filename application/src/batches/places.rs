//! Limits of concurrent uploads, downloads and waits, so that one account can't use up the capacity of all.

use std::sync::Arc;

use super::upload::{UploadPlace, UploadedFile};
use domain::keys::{Environment, KeyId};
use domain::people::customer::CustomerId;

use crate::sync::counted_places::{CountedPlace, CountedPlaces};
use crate::sync::places::Places;

/// Maximum number of tables of one account that are processed at the same time. A table has up to 16 MiB.
const TABLES: usize = 2;
/// Maximum number of archives of one account that are processed at the same time. An archive has up to 64
/// MiB.
const ARCHIVES: usize = 1;
/// Maximum numbers of concurrent downloads of one account and of all. Each holds the proofs of a chunk in
/// memory, about 4 MiB.
const DOWNLOADS: (u32, u32) = (4, 32);
/// Maximum numbers of concurrent waiting readers of one account and of all. Each polls once a second, for
/// people over a small pool of connections.
const WAITS: (u32, u32) = (16, u32::MAX);

/// Limits of concurrency that all services of this process share.
pub struct BatchPlaces {
    tables: Places,
    archives: Places,
    downloads: Arc<CountedPlaces<CustomerId>>,
    waits: Arc<CountedPlaces<CustomerId>>,
}

/// Permission to upload files for an account's batches.
pub struct Uploader {
    customer: CustomerId,
    key: Option<(KeyId, Environment)>,
    places: Arc<BatchPlaces>,
}

impl Uploader {
    pub(super) const fn new(
        customer: CustomerId,
        key: Option<(KeyId, Environment)>,
        places: Arc<BatchPlaces>,
    ) -> Self {
        Self {
            customer,
            key,
            places,
        }
    }

    /// The key that the caller presented or named, with its environment.
    pub const fn key(&self) -> Option<(KeyId, Environment)> {
        self.key
    }

    pub(super) const fn customer(&self) -> CustomerId {
        self.customer
    }

    /// Waits until the account has a free place for an upload of this kind.
    pub async fn place(&self, file: UploadedFile) -> UploadPlace {
        let places = match file {
            UploadedFile::Table => &self.places.tables,
            UploadedFile::Archive => &self.places.archives,
        };
        places.take(self.customer).await.into()
    }
}

/// A place that is occupied until this is dropped.
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
    /// Takes a place for a download; `None` if a limit is reached.
    pub(super) fn download(&self, customer: CustomerId) -> Option<AccountPlace> {
        self.downloads.take(customer)
    }

    /// Takes a place for a waiting reader; `None` if a limit is reached.
    pub(super) fn wait(&self, customer: CustomerId) -> Option<AccountPlace> {
        self.waits.take(customer)
    }
}
