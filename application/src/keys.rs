//! Managing keys.

use std::sync::Arc;

use async_trait::async_trait;
use domain::key::{ApiKey, Credential, FullKey, KeyHasher, KeyId};
use domain::limits::LimitsChange;
use domain::month::Month;
use ports::Cause;
use ports::inbound::{CreatedKey, KeyAdministration, KeyAdministrationError, KeyOrder};
use ports::outbound::{
    Clock, InsertError, KeyRecord, KeyStore, Limiter, Random, StoreError, UpdateError, new_id,
};

/// Attempts at a prefix that nobody has. One is enough but for one time in 10¹⁴ over the number of
/// keys.
const PREFIX_ATTEMPTS: usize = 8;

/// Makes, lists, changes and revokes keys.
pub struct KeyService {
    keys: Arc<dyn KeyStore>,
    limiter: Arc<dyn Limiter>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    hasher: KeyHasher,
}

impl KeyService {
    /// A service over these keys; `limiter` is told of every change at once.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        hasher: KeyHasher,
    ) -> Self {
        Self {
            keys,
            limiter,
            clock,
            random,
            hasher,
        }
    }

    fn draw(&self, order: &KeyOrder) -> (FullKey, KeyRecord) {
        let secret = FullKey::generate(order.environment, &mut |buffer| self.random.fill(buffer));
        let (hash, generation) = self.hasher.hash(&secret);
        let id = KeyId(new_id(self.clock.as_ref(), self.random.as_ref()));
        let key = ApiKey {
            id,
            owner: order.owner.clone(),
            name: order.name.clone(),
            prefix: secret.prefix().clone(),
            limits: order.limits,
            created_at: self.clock.now(),
            revoked_at: None,
            last_used_at: None,
        };
        (
            secret,
            KeyRecord {
                key,
                credential: Credential {
                    id,
                    hash,
                    generation,
                },
            },
        )
    }

    /// Tells the limiter of a change that the store has.
    async fn announce(&self, key: &ApiKey) -> Result<(), KeyAdministrationError> {
        let snapshot = self
            .keys
            .snapshot(key.id, Month::of(self.clock.now()))
            .await
            .map_err(failed)?;
        let state = snapshot
            .ok_or(KeyAdministrationError::NotFound(key.id))?
            .state;
        let applied = self.limiter.apply(key.id, state).await;
        applied.map_err(|error| KeyAdministrationError::Store(Arc::new(error)))
    }
}

fn failed(error: StoreError) -> KeyAdministrationError {
    KeyAdministrationError::Store(Arc::new(error))
}

fn not_updated(id: KeyId, error: UpdateError) -> KeyAdministrationError {
    match error {
        UpdateError::NotFound => KeyAdministrationError::NotFound(id),
        UpdateError::Store(error) => failed(error),
    }
}

#[async_trait]
impl KeyAdministration for KeyService {
    async fn create(&self, order: KeyOrder) -> Result<CreatedKey, KeyAdministrationError> {
        let mut cause: Cause = Arc::new(InsertError::PrefixTaken);
        for _ in 0..PREFIX_ATTEMPTS {
            let (secret, record) = self.draw(&order);
            let key = record.key.clone();
            match self.keys.insert(record).await {
                Ok(()) => return Ok(CreatedKey { key, secret }),
                Err(taken @ InsertError::PrefixTaken) => cause = Arc::new(taken),
                Err(InsertError::Store(error)) => return Err(failed(error)),
            }
        }
        Err(KeyAdministrationError::Store(cause))
    }

    async fn list(&self) -> Result<Vec<ApiKey>, KeyAdministrationError> {
        self.keys.list().await.map_err(failed)
    }

    async fn revoke(&self, id: KeyId) -> Result<ApiKey, KeyAdministrationError> {
        let revoked = self.keys.revoke(id, self.clock.now()).await;
        let key = revoked.map_err(|error| not_updated(id, error))?;
        self.announce(&key).await?;
        Ok(key)
    }

    async fn set_limits(
        &self,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<ApiKey, KeyAdministrationError> {
        let updated = self.keys.set_limits(id, change).await;
        let key = updated.map_err(|error| not_updated(id, error))?;
        self.announce(&key).await?;
        Ok(key)
    }
}
