//! The catalogue in use: the compiled-in or the stored one, whichever is newer.

use std::sync::{Arc, RwLock};

use domain::participants::Catalogue;
use ports::outbound::{CatalogueStore, CatalogueVersion, StoreError};

/// The catalogue that this process uses. It follows the stored one, which any process may replace:
/// [`Self::follow`] has to be called every few seconds.
pub struct SharedCatalogue {
    store: Arc<dyn CatalogueStore>,
    current: RwLock<Current>,
}

struct Current {
    /// The stored version that was read last; `None` before the first read.
    version: Option<CatalogueVersion>,
    catalogue: Arc<Catalogue>,
}

impl SharedCatalogue {
    /// Uses the compiled-in catalogue until [`Self::follow`] has read the stored one.
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
    /// The store failed; the catalogue in use is kept.
    pub async fn follow(&self) -> Result<(), StoreError> {
        let version = self.store.catalogue_version().await?;
        if self.read(|current| current.version) == Some(version) {
            return Ok(());
        }
        let (version, stored) = self.store.catalogue().await?;
        self.put(version, stored);
        Ok(())
    }

    /// Uses a stored catalogue, unless it is older than the compiled-in one, as after an update of the
    /// program.
    fn put(&self, version: CatalogueVersion, stored: Option<Catalogue>) {
        let embedded = Catalogue::embedded();
        let catalogue = stored
            .filter(|stored| stored.as_of() >= embedded.as_of())
            .map_or_else(|| embedded.clone(), |stored| stored.supplemented(embedded));
        let mut current = self
            .current
            .write()
            .expect("nothing panics while it holds the catalogue");
        // A concurrent call may have read a newer version already.
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
    /// The catalogue in use. It may be replaced at any time, so a request should get it only once.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.read(|current| Arc::clone(&current.catalogue))
    }
}
