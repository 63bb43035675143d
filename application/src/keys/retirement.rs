//! Retirement: revokes rotated keys whose grace period is over.

use std::sync::Arc;

use domain::audit::AuditContext;
use domain::customer::Owner;
use domain::key::CountedKey;
use domain::request::RequestId;
use ports::outbound::{
    Clock, KeyChange, KeyStore, Limiter, Random, Scope, StoreError, UpdateError, new_id,
};

use crate::limits::ChangePropagator;

/// Ends the grace period of keys that were rotated. A key goes on working after it until
/// [`Retirement::sweep`] runs, so call it several times a second.
pub struct Retirement {
    keys: Arc<dyn KeyStore>,
    propagator: ChangePropagator,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Retirement {
    /// A retirement of `keys`; each is propagated to `limiter`.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Self {
        let propagator = ChangePropagator::new(Arc::clone(&keys), limiter, Arc::clone(&clock));
        Self {
            keys,
            propagator,
            clock,
            random,
        }
    }

    /// Revokes the keys that are due, and returns their number. Reads once when none is due. Several
    /// processes may sweep the same keys.
    ///
    /// # Errors
    /// Fails when the store fails; keys that are still due are found again.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let mut revoked = 0;
        loop {
            let due = self.keys.due(self.clock.now()).await?;
            let mut succeeded = 0;
            let mut failure = None;
            for key in &due {
                // A key that fails must not keep the others alive.
                match self.revoke(*key).await {
                    Ok(()) => succeeded += 1,
                    Err(error) => failure = Some(error),
                }
            }
            revoked += succeeded;
            match failure {
                Some(error) => return Err(error),
                None if succeeded == 0 => return Ok(revoked),
                None => {}
            }
        }
    }

    async fn revoke(&self, key: CountedKey) -> Result<(), StoreError> {
        let id = new_id(self.clock.as_ref(), self.random.as_ref());
        let audit = AuditContext {
            id,
            at: self.clock.now(),
            actor: Owner::gateway(),
            request_id: RequestId::from_uuid(id),
        };
        let change = KeyChange::Revoke;
        match self
            .keys
            .change(Scope::Everybody, key.id, &change, &audit)
            .await
        {
            Ok(_) => {}
            // Keys aren't removed; one that isn't there isn't due any more.
            Err(UpdateError::NotFound) => return Ok(()),
            Err(UpdateError::Store(error)) => return Err(error),
        }
        if let Err(error) = self.propagator.apply(key).await {
            tracing::warn!(%key, %error, "a retired key could not be applied to the limiter yet");
        }
        Ok(())
    }
}
