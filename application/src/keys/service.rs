//! Administration of keys and plans.

use std::collections::HashMap;
use std::sync::Arc;

use super::types::{CreatedKey, KeyError, NewKey, RequestedScope, RotatedKey};
use crate::people::Caller;
use domain::audit::Action;
use domain::keys::{
    ApiKey, BoundReached, CountedKey, Credential, Environment, FullKey, Grace, KeyBounds,
    KeyHasher, KeyId, KeyName, KeyOverview,
};
use domain::limits::{LimitsChange, MonthlyUse, Plan};
use domain::month::Month;
use domain::people::customer::{Customer, CustomerId, ExistingKeys, Owner};
use ports::Cause;
use ports::outbound::{
    Clock, CustomerStore, InsertError, KeyChange, KeyRecord, KeyStore, Limiter, Random,
    RotateError, Rotation, Scope, Snapshot, StoreError, Successor, Timer, UpdateError, new_id,
};

use super::log::{self, Actor};
use crate::limits::ChangePropagator;
use crate::people::{Authorization, require_admin};

/// Attempts at generating an unused prefix. With one million keys, a second attempt is needed about once in
/// 10⁸ times.
const PREFIX_ATTEMPTS: usize = 8;

/// Creates, lists, changes and revokes keys, and sets plans.
pub struct KeyService {
    keys: Arc<dyn KeyStore>,
    customers: Arc<dyn CustomerStore>,
    authorization: Authorization,
    pub(super) readings: Readings,
    propagator: ChangePropagator,
    pub(super) clock: Arc<dyn Clock>,
    timer: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    hasher: KeyHasher,
}

/// Access to keys for readings by people, which may use other database connections than admissions.
pub(super) struct Readings {
    pub(super) keys: Arc<dyn KeyStore>,
    pub(super) authorization: Authorization,
}

impl KeyService {
    /// Creates a service; every change of `keys` is propagated to `limiter` before it is acknowledged. If the
    /// limiter fails, it is retried for two seconds.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        customers: Arc<dyn CustomerStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
        random: Arc<dyn Random>,
        hasher: KeyHasher,
    ) -> Self {
        let authorization = || {
            let (clock, random) = (Arc::clone(&clock), Arc::clone(&random));
            Authorization::new(Arc::clone(&customers), clock, random)
        };
        let readings = Readings {
            keys: Arc::clone(&keys),
            authorization: authorization(),
        };
        let authorization = authorization();
        let propagator = ChangePropagator::new(Arc::clone(&keys), limiter, Arc::clone(&clock));
        Self {
            keys,
            customers,
            authorization,
            readings,
            propagator,
            clock,
            timer,
            random,
            hasher,
        }
    }

    /// Uses another connection to the same database for reading by people, so that their queries don't delay
    /// admissions and revocations.
    #[must_use]
    pub fn reading_from(
        mut self,
        keys: Arc<dyn KeyStore>,
        customers: Arc<dyn CustomerStore>,
    ) -> Self {
        let (clock, random) = (Arc::clone(&self.clock), Arc::clone(&self.random));
        self.readings = Readings {
            keys,
            authorization: Authorization::new(customers, clock, random),
        };
        self
    }

    /// Generates a key and its credential.
    fn generate(
        &self,
        environment: Environment,
        customer: CustomerId,
        predecessor: Option<&ApiKey>,
    ) -> (FullKey, Credential) {
        let secret = FullKey::generate(environment, &mut |buffer| self.random.fill(buffer));
        let (hash, generation) = self.hasher.hash(&secret);
        let id = KeyId(new_id(self.clock.as_ref(), self.random.as_ref()));
        let credential = Credential {
            id,
            counters: predecessor.map_or(id.into(), |key| key.counters),
            customer,
            hash,
            generation,
        };
        (secret, credential)
    }

    /// Changes a key within the requested scope.
    async fn change(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        id: KeyId,
        change: KeyChange,
    ) -> Result<ApiKey, KeyError> {
        let scope = self.scope(caller, requested).await?;
        let actor = match (requested, scope) {
            (RequestedScope::Own, Scope::Of(customer)) => Actor::new(caller, Some(customer)),
            _ => self.actor(caller).await?,
        };
        let action = match change {
            KeyChange::Rename(_) => Action::KeyRenamed,
            KeyChange::Revoke => Action::KeyRevoked,
            KeyChange::SetLimits(_) => Action::LimitsSet,
        };
        let audit = caller.act(&*self.clock, &*self.random);
        let changed = self.keys.change(scope, id, &change, &audit).await;
        let key = changed.map_err(update_error)?;
        log::key(action, &key, actor);
        Ok(key)
    }

    /// The actor of a change that may concern another customer's key.
    async fn actor<'a>(&self, caller: &'a Caller) -> Result<Actor<'a>, StoreError> {
        let known = self.authorization.customer(caller).await?;
        Ok(Actor::new(caller, known.map(|customer| customer.id)))
    }

    /// The scope of a request about one key; not found for a caller without a customer.
    async fn scope(&self, caller: &Caller, requested: RequestedScope) -> Result<Scope, KeyError> {
        let scope = self.authorization.scope(caller, requested).await?;
        scope.ok_or(KeyError::NotFound)
    }

    /// Returns a changed key once the change is effective in every process.
    async fn propagated(&self, key: ApiKey) -> Result<KeyOverview, KeyError> {
        let snapshots = self.propagate(&[key.counted()]).await?;
        let snapshot = snapshots.get(&key.id).copied();
        overview(key, snapshot)
    }

    /// Returns the keys' snapshots once their changes are effective in every process.
    async fn propagate(&self, keys: &[CountedKey]) -> Result<HashMap<KeyId, Snapshot>, StoreError> {
        self.propagator.propagate(keys, self.timer.as_ref()).await
    }
}

/// Limits on creating keys. The operator has none.
fn bounds(caller: &Caller) -> KeyBounds {
    if caller.owner == Owner::operator() {
        KeyBounds::Unbounded
    } else {
        KeyBounds::OfPlan
    }
}

fn bound_error(bound: BoundReached) -> KeyError {
    match bound {
        BoundReached::Active { most } => KeyError::TooManyKeys { most },
        BoundReached::New { retry_after } => KeyError::TooManyNewKeys { retry_after },
    }
}

fn overview(key: ApiKey, snapshot: Option<Snapshot>) -> Result<KeyOverview, KeyError> {
    let Snapshot { month, used, .. } = snapshot.ok_or(KeyError::NotFound)?;
    Ok(KeyOverview { key, month, used })
}

fn update_error(error: UpdateError) -> KeyError {
    match error {
        UpdateError::NotFound => KeyError::NotFound,
        UpdateError::Store(error) => error.into(),
    }
}

/// A key without usage in this month.
fn unused(key: ApiKey, month: Month) -> KeyOverview {
    KeyOverview {
        key,
        month,
        used: MonthlyUse::default(),
    }
}

impl KeyService {
    /// Creates a key of the caller. The result contains its full text, which isn't available later.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn create(&self, caller: &Caller, order: NewKey) -> Result<CreatedKey, KeyError> {
        if order.limits.is_some() {
            require_admin(caller)?;
        }
        let customer = self.authorization.customer_or_new(&caller.owner).await?;
        let audit = caller.act(&*self.clock, &*self.random);
        let mut cause: Cause = Arc::new(InsertError::PrefixTaken);
        for _ in 0..PREFIX_ATTEMPTS {
            let (secret, credential) = self.generate(order.environment, customer.id, None);
            let key = ApiKey {
                id: credential.id,
                counters: credential.counters,
                customer: customer.id,
                owner: customer.owner.clone(),
                name: order.name.clone(),
                prefix: secret.prefix().clone(),
                limits: order.limits.unwrap_or_else(|| customer.plan.limits()),
                created_at: audit.at,
                retires_at: None,
                revoked_at: None,
                last_used_at: None,
            };
            let record = KeyRecord {
                key: key.clone(),
                credential,
            };
            match self.keys.insert(record, bounds(caller), &audit).await {
                Ok(()) => {
                    let actor = Actor::new(caller, Some(customer.id));
                    log::key(Action::KeyCreated, &key, actor);
                    let key = unused(key, Month::of(audit.at));
                    return Ok(CreatedKey { key, secret });
                }
                Err(taken @ InsertError::PrefixTaken) => cause = Arc::new(taken),
                Err(InsertError::Bound(bound)) => return Err(bound_error(bound)),
                Err(InsertError::Store(error)) => return Err(error.into()),
            }
        }
        Err(KeyError::Store(cause))
    }

    /// Changes the name of a key.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn rename(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        let change = KeyChange::Rename(name);
        let key = self.change(caller, requested, id, change).await?;
        let month = Month::of(self.clock.now());
        overview(key, self.keys.snapshot(id, month).await?)
    }

    /// Revokes a key; has no effect on a revoked one. Once this returns, no request with the key is admitted.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn revoke(
        &self,
        caller: &Caller,
        requested: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        let key = self
            .change(caller, requested, id, KeyChange::Revoke)
            .await?;
        self.propagated(key).await
    }

    /// Creates a successor of the caller's key, with the same name, environment and limits. The old key is
    /// revoked at the end of `grace`; at once if that is zero.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn rotate(
        &self,
        caller: &Caller,
        id: KeyId,
        grace: Grace,
    ) -> Result<RotatedKey, KeyError> {
        let scope = self.scope(caller, RequestedScope::Own).await?;
        let audit = caller.act(&*self.clock, &*self.random);
        let month = Month::of(audit.at);
        let found = self.keys.find(scope, id, month).await?;
        let KeyOverview { key, used, .. } = found.ok_or(KeyError::NotFound)?;
        let retires_at = grace.end(audit.at);
        let mut cause: Cause = Arc::new(RotateError::PrefixTaken);
        for _ in 0..PREFIX_ATTEMPTS {
            let environment = key.prefix.environment();
            let (secret, credential) = self.generate(environment, key.customer, Some(&key));
            let successor = Successor {
                prefix: secret.prefix().clone(),
                credential,
            };
            let bounds = bounds(caller);
            let rotated = self
                .keys
                .rotate(scope, id, &successor, retires_at, bounds, &audit);
            let Rotation { old, new } = match rotated.await {
                Ok(rotation) => rotation,
                Err(taken @ RotateError::PrefixTaken) => {
                    cause = Arc::new(taken);
                    continue;
                }
                Err(RotateError::NotFound) => return Err(KeyError::NotFound),
                Err(RotateError::Revoked) => return Err(KeyError::Revoked),
                Err(RotateError::AlreadyRotated) => return Err(KeyError::AlreadyRotated),
                Err(RotateError::Bound(bound)) => return Err(bound_error(bound)),
                Err(RotateError::Store(error)) => return Err(error.into()),
            };
            let actor = Actor::new(caller, Some(old.customer));
            log::key(Action::KeyRotated, &old, actor);
            log::key(Action::KeyCreated, &new, actor);
            // During a grace period nothing changes for the limiter. A key without one is revoked in the
            // store already, and the change feed will apply that, so a failure here must not lose the
            // successor's secret.
            if old.revoked_at.is_some()
                && let Err(error) = self.propagate(&[old.counted()]).await
            {
                tracing::warn!(key = %old.id, %error, "a rotated key could not be applied to the limiter yet");
            }
            let old = KeyOverview {
                key: old,
                month,
                used,
            };
            // The successor shares the counters, so its use is that of the old key.
            let key = KeyOverview {
                key: new,
                month,
                used,
            };
            let new = CreatedKey { key, secret };
            return Ok(RotatedKey { old, new });
        }
        Err(KeyError::Store(cause))
    }

    /// Changes the limits of any key. For admins only.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        let change = KeyChange::SetLimits(change);
        let key = self.change(caller, RequestedScope::All, id, change).await?;
        self.propagated(key).await
    }

    /// Sets a customer's plan. For admins only.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub async fn set_plan(
        &self,
        caller: &Caller,
        customer: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        require_admin(caller)?;
        let actor = self.actor(caller).await?;
        let audit = caller.act(&*self.clock, &*self.random);
        let set = self.customers.set_plan(customer, plan, existing, &audit);
        let (customer, changed) = set.await.map_err(update_error)?;
        log::plan(&customer, changed.len(), actor);
        self.propagate(&changed).await?;
        Ok(customer)
    }
}
