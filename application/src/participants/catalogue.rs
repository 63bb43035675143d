//! The catalogue in use: the newest of the compiled-in and the stored one.

use std::sync::{Arc, RwLock};

use domain::participant::Catalogue;
use ports::outbound::{CatalogueStore, CatalogueVersion, StoreError};

/// The catalogue that this process goes by. It follows the stored one, which any process may replace:
/// call [`Self::follow`] every few seconds.
pub struct SharedCatalogue {
    store: Arc<dyn CatalogueStore>,
    current: RwLock<Current>,
}

struct Current {
    /// The stored version that was read; `None` before the first.
    version: Option<CatalogueVersion>,
    catalogue: Arc<Catalogue>,
}

impl SharedCatalogue {
    /// The compiled-in catalogue, until [`Self::follow`] has read the stored one.
    pub fn new(store: Arc<dyn CatalogueStore>) -> Self {
        let current = Current {
            version: None,
            catalogue: Arc::new(Catalogue::embedded().clone()),
        };
        Self {
            store,
            current: RwLock::new(current),
        }
    }

    /// Reads the stored catalogue if it was replaced since the last call.
    ///
    /// # Errors
    /// The store failed; the catalogue stays as it is.
    pub async fn follow(&self) -> Result<(), StoreError> {
        let version = self.store.catalogue_version().await?;
        if self.read(|current| current.version) == Some(version) {
            return Ok(());
        }
        let (version, stored) = self.store.catalogue().await?;
        self.put(version, stored);
        Ok(())
    }

    /// Takes a stored catalogue into use. One of a version before the compiled-in list is not used:
    /// the program is newer than its database.
    fn put(&self, version: CatalogueVersion, stored: Option<Catalogue>) {
        let embedded = Catalogue::embedded();
        let catalogue = stored
            .filter(|stored| stored.as_of() >= embedded.as_of())
            .map_or_else(|| embedded.clone(), |stored| stored.supplemented(embedded));
        let mut current = self
            .current
            .write()
            .expect("nothing panics while it holds the catalogue");
        // Two readers may overtake each other.
        if current.version.is_none_or(|known| known <= version) {
            *current = Current {
                version: Some(version),
                catalogue: Arc::new(catalogue),
            };
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Current) -> T) -> T {
        let current = self.current.read();
        read(&current.expect("nothing panics while it holds the catalogue"))
    }
}

impl SharedCatalogue {
    /// The catalogue in use. It may be replaced at any time, so a request takes it once.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.read(|current| Arc::clone(&current.catalogue))
    }
}
