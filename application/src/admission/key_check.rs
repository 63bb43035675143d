//! Check of presented keys: the cache of credentials, then the store, with the throttle of look-ups
//! between them.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use domain::keys::{Credential, FullKey, KeyHasher, KeyPrefix};
use ports::Cause;
use ports::outbound::{Clock, KeyStore, StoreError, UsageJournal};

use super::credentials::{CREDENTIALS, CredentialCache};
use super::lookup_throttle::KeyLookupThrottle;

/// Looked up in place of a cached prefix, so that a known one takes no less time. No key has it (one in 62⁸ would).
static UNUSED_PREFIX: LazyLock<KeyPrefix> =
    LazyLock::new(|| KeyPrefix::parse("cep_test_00000000").expect("it has the shape of a prefix"));

/// Checks presented keys.
pub(super) struct KeyCheck {
    pub(super) keys: Arc<dyn KeyStore>,
    pub(super) journal: Arc<dyn UsageJournal>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) hasher: KeyHasher,
    pub(super) credentials: Arc<CredentialCache>,
    pub(super) lookup_throttle: KeyLookupThrottle,
}

/// Reason why a key has no credential.
pub(super) enum Unverified {
    /// The key is unknown or wrong.
    Wrong,
    /// The key isn't known, and can't be looked up now.
    Throttled {
        /// Time until it can be looked up.
        retry_after: Duration,
    },
    /// The store fails.
    Failed(Cause),
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Unverified {
    fn from(error: E) -> Self {
        Self::Failed(Arc::new(error))
    }
}

impl KeyCheck {
    /// Caches the credentials of existing keys.
    ///
    /// # Errors
    /// Fails when the store can't be read.
    pub(super) async fn warm_up(&self) -> Result<(), StoreError> {
        for (prefix, credential) in self.keys.credentials(CREDENTIALS as u64).await? {
            self.credentials.insert(prefix, Arc::new(credential));
        }
        Ok(())
    }

    /// The credential of a key.
    ///
    /// A wrong secret of a known prefix takes the same steps as an unknown prefix, and has the same
    /// answers: neither they nor their time tell whether the prefix exists.
    pub(super) async fn check(
        &self,
        key: &FullKey,
        address: IpAddr,
    ) -> Result<Arc<Credential>, Unverified> {
        if let Some(credential) = self.cached(key) {
            return Ok(credential);
        }
        let throttled = {
            let _lookup = self.lookup_throttle.lock(key.prefix()).await;
            // Somebody else may have looked it up.
            if let Some(credential) = self.cached(key) {
                return Ok(credential);
            }
            let now = self.clock.monotonic();
            match self.lookup_throttle.wrong.check(address, now) {
                Ok(()) => return self.look_up(key, address, now).await,
                Err(throttled) => throttled,
            }
        };
        // A key that was created a moment ago, perhaps by another process, is on its way to the cache.
        self.credentials.catch_up().await;
        self.cached(key).ok_or(Unverified::Throttled {
            retry_after: throttled.retry_after,
        })
    }

    /// The credential from the cache, when the key matches it.
    fn cached(&self, key: &FullKey) -> Option<Arc<Credential>> {
        let credential = self.credentials.get(key.prefix());
        let is_right = self.hasher.verify(key, credential.as_deref());
        credential.filter(|_| is_right)
    }

    /// The credential from the store, when the key matches it.
    async fn look_up(
        &self,
        key: &FullKey,
        address: IpAddr,
        now: Duration,
    ) -> Result<Arc<Credential>, Unverified> {
        // While nothing can be written nothing is admitted: no need to ask a store that is down.
        self.journal.accepts()?;
        let credential = self.find(key.prefix()).await?;
        if self.hasher.verify(key, credential.as_deref())
            && let Some(credential) = credential
        {
            return Ok(credential);
        }
        self.lookup_throttle.wrong.add(address, now);
        Err(Unverified::Wrong)
    }

    /// The credential of a prefix from the store. A cached one never changes and would only be found
    /// again, which takes longer than finding none: another prefix is looked up then.
    async fn find(&self, prefix: &KeyPrefix) -> Result<Option<Arc<Credential>>, StoreError> {
        if let Some(cached) = self.credentials.get(prefix) {
            self.keys.credential(&UNUSED_PREFIX).await?;
            return Ok(Some(cached));
        }
        let found = self.keys.credential(prefix).await?.map(Arc::new);
        if let Some(credential) = &found {
            let credential = Arc::clone(credential);
            self.credentials.insert(prefix.clone(), credential);
        }
        Ok(found)
    }
}
