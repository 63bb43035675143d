//! Revocation of rotated keys at the end of their grace period.

use std::sync::Arc;

use domain::audit::AuditContext;
use domain::keys::CountedKey;
use domain::people::customer::Owner;
use domain::request::RequestId;
use ports::outbound::{
    Clock, KeyChange, KeyStore, Limiter, Random, Scope, StoreError, UpdateError, new_id,
};

use crate::limits::ChangePropagator;

/// Ends the grace periods of rotated keys. A key remains valid until [`Retirement::sweep`] runs, so it has to
/// be called several times a second.
pub struct Retirement {
    keys: Arc<dyn KeyStore>,
    propagator: ChangePropagator,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Retirement {
    /// Creates the service; each revocation in `keys` is propagated to `limiter`.
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

    /// Revokes the keys whose grace period has ended, and returns their number. Makes one query if there are
    /// none. Several processes may revoke the same keys.
    ///
    /// # Errors
    /// The store failed; the remaining keys are found again by the next call.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let mut revoked = 0;
        loop {
            let due = self.keys.due(self.clock.now()).await?;
            let mut succeeded = 0;
            let mut failure = None;
            for key in &due {
                // Goes on with the other keys if one fails.
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
            // Keys are never removed, so this doesn't happen.
            Err(UpdateError::NotFound) => return Ok(()),
            Err(UpdateError::Store(error)) => return Err(error),
        }
        if let Err(error) = self.propagator.apply(key).await {
            tracing::warn!(%key, %error, "a retired key could not be applied to the limiter yet");
        }
        Ok(())
    }
}
