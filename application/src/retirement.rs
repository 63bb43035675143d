//! Revokes keys whose time of grace is over.

use std::sync::Arc;

use domain::audit::AuditContext;
use domain::key::{KeyId, Owner};
use domain::request::RequestId;
use ports::outbound::{
    Clock, KeyChange, KeyStore, Limiter, Random, Scope, StoreError, UpdateError, new_id,
};

use crate::propagator::ChangePropagator;

/// Ends the time of grace of keys that were rotated. A key works for as long after it as nobody
/// calls [`Retirement::sweep`], so call it several times a second.
pub struct Retirement {
    keys: Arc<dyn KeyStore>,
    propagator: ChangePropagator,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
}

impl Retirement {
    /// Retires these keys; `limiter` is told of each.
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

    /// Revokes all that is due, and returns how many keys that were. One reading when nothing is
    /// due. Several processes may sweep the same keys.
    ///
    /// # Errors
    /// When the store fails; what is still due is found again.
    pub async fn sweep(&self) -> Result<usize, StoreError> {
        let mut revoked = 0;
        loop {
            let due = self.keys.due(self.clock.now()).await?;
            let mut progress = 0;
            let mut failure = None;
            for key in &due {
                // One that fails must not keep the others working.
                match self.revoke(*key).await {
                    Ok(()) => progress += 1,
                    Err(error) => failure = Some(error),
                }
            }
            revoked += progress;
            match failure {
                Some(error) => return Err(error),
                None if progress == 0 => return Ok(revoked),
                None => {}
            }
        }
    }

    async fn revoke(&self, key: KeyId) -> Result<(), StoreError> {
        let id = new_id(self.clock.as_ref(), self.random.as_ref());
        let act = AuditContext {
            id,
            at: self.clock.now(),
            actor: Owner::gateway(),
            request_id: RequestId::from_uuid(id),
        };
        let change = KeyChange::Revoke;
        match self.keys.change(Scope::Everybody, key, &change, &act).await {
            Ok(_) => {}
            // Keys aren't removed; one that isn't there isn't due any more.
            Err(UpdateError::NotFound) => return Ok(()),
            Err(UpdateError::Store(error)) => return Err(error),
        }
        if let Err(untold) = self.propagator.announce(key).await {
            let error = StoreError::from(untold);
            tracing::warn!(%key, %error, "the limiter hears of a retired key later");
        }
        Ok(())
    }
}
