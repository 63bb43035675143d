//! Managing keys and plans.

use std::sync::Arc;

use async_trait::async_trait;
use domain::audit::{Action, AuditContext};
use domain::customer::{Customer, CustomerId, ExistingKeys};
use domain::key::{
    ApiKey, Credential, Environment, FullKey, Grace, KeyHasher, KeyId, KeyName, KeyOverview,
    KeyQuery, Owner, RevokedKeys,
};
use domain::limits::{LimitsChange, MonthlyUse, Plan};
use domain::month::Month;
use domain::page::Page;
use ports::Cause;
use ports::inbound::{
    Caller, CreatedKey, KeyAdministration, KeyError, NewKey, RequestedScope, RotatedKey,
};
use ports::outbound::{
    Clock, CustomerStore, InsertError, KeyChange, KeyRecord, KeyStore, Limiter, Random,
    RotateError, Rotation, Scope, Snapshot, StoreError, Successor, Timer, UpdateError, new_id,
};

use crate::propagator::ChangePropagator;
use crate::reach::{Callers, admins_only, unlisted};
use log::Actor;

mod log;

/// Attempts at a prefix that nobody has. One is enough but for one time in 10¹⁴ over the number of
/// keys.
const PREFIX_ATTEMPTS: usize = 8;
/// Active keys that a customer may have. `GET /keys` shows them all in one answer, and each costs
/// memory once it is used: enough for a key a till, too few to fill a disk with. The operator of the
/// machine has no bound.
pub const MOST_ACTIVE_KEYS: u64 = 1_000;

/// Makes, lists, changes and revokes keys, and sets plans.
pub struct KeyService {
    keys: Arc<dyn KeyStore>,
    customers: Arc<dyn CustomerStore>,
    callers: Callers,
    propagator: ChangePropagator,
    clock: Arc<dyn Clock>,
    pause: Arc<dyn Timer>,
    random: Arc<dyn Random>,
    hasher: KeyHasher,
}

impl KeyService {
    /// A service over these keys; `limiter` is told of every change before it is answered. One that
    /// fails is waited for, and after two seconds done without.
    pub fn new(
        keys: Arc<dyn KeyStore>,
        customers: Arc<dyn CustomerStore>,
        limiter: Arc<dyn Limiter>,
        clock: Arc<dyn Clock>,
        pause: Arc<dyn Timer>,
        random: Arc<dyn Random>,
        hasher: KeyHasher,
    ) -> Self {
        let callers = Callers::new(
            Arc::clone(&customers),
            Arc::clone(&clock),
            Arc::clone(&random),
        );
        let propagator = ChangePropagator::new(Arc::clone(&keys), limiter, Arc::clone(&clock));
        Self {
            keys,
            customers,
            callers,
            propagator,
            clock,
            pause,
            random,
            hasher,
        }
    }

    fn act(&self, caller: &Caller) -> AuditContext {
        AuditContext {
            id: new_id(self.clock.as_ref(), self.random.as_ref()),
            at: self.clock.now(),
            actor: caller.owner.clone(),
            request_id: caller.request_id.clone(),
        }
    }

    /// A new secret, and what checks it.
    fn draw(&self, environment: Environment, customer: CustomerId) -> (FullKey, Credential) {
        let secret = FullKey::generate(environment, &mut |buffer| self.random.fill(buffer));
        let (hash, generation) = self.hasher.hash(&secret);
        let credential = Credential {
            id: KeyId(new_id(self.clock.as_ref(), self.random.as_ref())),
            customer,
            hash,
            generation,
        };
        (secret, credential)
    }

    /// Changes one key within reach.
    async fn change(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
        change: KeyChange,
    ) -> Result<ApiKey, KeyError> {
        let scope = self.scope(caller, reach).await?;
        let actor = match (reach, scope) {
            (RequestedScope::Own, Scope::Of(customer)) => Actor::new(caller, Some(customer)),
            _ => self.actor(caller).await?,
        };
        let action = match change {
            KeyChange::Rename(_) => Action::KeyRenamed,
            KeyChange::Revoke => Action::KeyRevoked,
            KeyChange::SetLimits(_) => Action::LimitsSet,
        };
        let act = self.act(caller);
        let changed = self.keys.change(scope, id, &change, &act).await;
        let key = changed.map_err(unchanged)?;
        log::key(action, &key, actor);
        Ok(key)
    }

    /// Who acts on what may be another's.
    async fn actor<'a>(&self, caller: &'a Caller) -> Result<Actor<'a>, StoreError> {
        let known = self.callers.known(caller).await?;
        Ok(Actor::new(caller, known.map(|customer| customer.id)))
    }

    /// The scope of a question about one key: whoever has no keys at all doesn't find it.
    async fn scope(&self, caller: &Caller, reach: RequestedScope) -> Result<Scope, KeyError> {
        let scope = self.callers.scope(caller, reach).await?;
        scope.ok_or(KeyError::NotFound)
    }

    /// A changed key as it is shown, once the change holds everywhere.
    async fn announced(&self, key: ApiKey) -> Result<KeyOverview, KeyError> {
        self.propagate(&[key.id]).await?;
        let snapshot = self.propagator.snapshot(key.id).await?;
        overview(key, snapshot)
    }

    /// Returns once what was changed holds everywhere.
    async fn propagate(&self, keys: &[KeyId]) -> Result<(), StoreError> {
        self.propagator.propagate(keys, self.pause.as_ref()).await
    }

    /// Leaves room for the key that a time of grace keeps active beside its successor. Without
    /// this, one key rotated again and again would be any number of them.
    async fn check_room(&self, caller: &Caller, customer: CustomerId) -> Result<(), KeyError> {
        let active = self.keys.of_customer(customer, RevokedKeys::Hidden).await?;
        let active = u64::try_from(active.len()).unwrap_or(u64::MAX);
        if active < most_active(caller) {
            Ok(())
        } else {
            Err(too_many_keys())
        }
    }
}

fn most_active(caller: &Caller) -> u64 {
    if caller.owner == Owner::operator() {
        u64::MAX
    } else {
        MOST_ACTIVE_KEYS
    }
}

fn too_many_keys() -> KeyError {
    KeyError::TooManyKeys {
        most: MOST_ACTIVE_KEYS,
    }
}

fn overview(key: ApiKey, snapshot: Option<Snapshot>) -> Result<KeyOverview, KeyError> {
    let Snapshot { month, used, .. } = snapshot.ok_or(KeyError::NotFound)?;
    Ok(KeyOverview { key, month, used })
}

fn unchanged(error: UpdateError) -> KeyError {
    match error {
        UpdateError::NotFound => KeyError::NotFound,
        UpdateError::Store(error) => error.into(),
    }
}

/// A key that nobody has used.
fn unused(key: ApiKey, month: Month) -> KeyOverview {
    KeyOverview {
        key,
        month,
        used: MonthlyUse::default(),
    }
}

#[async_trait]
impl KeyAdministration for KeyService {
    async fn create(&self, caller: &Caller, order: NewKey) -> Result<CreatedKey, KeyError> {
        if order.limits.is_some() {
            admins_only(caller)?;
        }
        let customer = self.callers.enrolled(&caller.owner).await?;
        let act = self.act(caller);
        let mut cause: Cause = Arc::new(InsertError::PrefixTaken);
        for _ in 0..PREFIX_ATTEMPTS {
            let (secret, credential) = self.draw(order.environment, customer.id);
            let key = ApiKey {
                id: credential.id,
                customer: customer.id,
                owner: customer.owner.clone(),
                name: order.name.clone(),
                prefix: secret.prefix().clone(),
                limits: order.limits.unwrap_or_else(|| customer.plan.limits()),
                created_at: act.at,
                retires_at: None,
                revoked_at: None,
                last_used_at: None,
            };
            let record = KeyRecord {
                key: key.clone(),
                credential,
            };
            match self.keys.insert(record, most_active(caller), &act).await {
                Ok(()) => {
                    let actor = Actor::new(caller, Some(customer.id));
                    log::key(Action::KeyCreated, &key, actor);
                    let key = unused(key, Month::of(act.at));
                    return Ok(CreatedKey { key, secret });
                }
                Err(taken @ InsertError::PrefixTaken) => cause = Arc::new(taken),
                Err(InsertError::TooManyKeys) => return Err(too_many_keys()),
                Err(InsertError::Store(error)) => return Err(error.into()),
            }
        }
        Err(KeyError::Store(cause))
    }

    async fn list(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError> {
        let Some(scope) = self.callers.scope(caller, reach).await? else {
            return Ok(Page::of(Vec::new(), ask.page.first, Some(0)));
        };
        let month = Month::of(self.clock.now());
        self.keys.list(scope, month, ask).await.map_err(unlisted)
    }

    async fn own(&self, caller: &Caller, revoked: RevokedKeys) -> Result<Vec<ApiKey>, KeyError> {
        let Some(customer) = self.callers.known(caller).await? else {
            return Ok(Vec::new());
        };
        Ok(self.keys.of_customer(customer.id, revoked).await?)
    }

    async fn find(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        let scope = self.scope(caller, reach).await?;
        let month = Month::of(self.clock.now());
        let found = self.keys.find(scope, id, month).await?;
        found.ok_or(KeyError::NotFound)
    }

    async fn rename(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        let change = KeyChange::Rename(name);
        let key = self.change(caller, reach, id, change).await?;
        overview(key, self.propagator.snapshot(id).await?)
    }

    async fn revoke(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        let key = self.change(caller, reach, id, KeyChange::Revoke).await?;
        self.announced(key).await
    }

    async fn rotate(
        &self,
        caller: &Caller,
        id: KeyId,
        grace: Grace,
    ) -> Result<RotatedKey, KeyError> {
        let scope = self.scope(caller, RequestedScope::Own).await?;
        let act = self.act(caller);
        let month = Month::of(act.at);
        let found = self.keys.find(scope, id, month).await?;
        let KeyOverview { key, used, .. } = found.ok_or(KeyError::NotFound)?;
        let retires_at = grace.end(act.at);
        if retires_at > act.at {
            self.check_room(caller, key.customer).await?;
        }
        let mut cause: Cause = Arc::new(RotateError::PrefixTaken);
        for _ in 0..PREFIX_ATTEMPTS {
            let (secret, credential) = self.draw(key.prefix.environment(), key.customer);
            let successor = Successor {
                prefix: secret.prefix().clone(),
                credential,
            };
            let rotated = self.keys.rotate(scope, id, &successor, retires_at, &act);
            let Rotation { old, new } = match rotated.await {
                Ok(rotation) => rotation,
                Err(taken @ RotateError::PrefixTaken) => {
                    cause = Arc::new(taken);
                    continue;
                }
                Err(RotateError::NotFound) => return Err(KeyError::NotFound),
                Err(RotateError::Revoked) => return Err(KeyError::Revoked),
                Err(RotateError::AlreadyRotated) => return Err(KeyError::AlreadyRotated),
                Err(RotateError::Store(error)) => return Err(error.into()),
            };
            let actor = Actor::new(caller, Some(old.customer));
            log::key(Action::KeyRotated, &old, actor);
            log::key(Action::KeyCreated, &new, actor);
            // A key with a time of grace is to the limiter what it was before. One without is
            // revoked already, and the watch tells the limiter: what must not be lost now is the
            // successor's secret.
            if old.revoked_at.is_some()
                && let Err(error) = self.propagate(&[old.id]).await
            {
                tracing::warn!(key = %old.id, %error, "the limiter hears of a rotated key later");
            }
            let old = KeyOverview {
                key: old,
                month,
                used,
            };
            let key = unused(new, month);
            let new = CreatedKey { key, secret };
            return Ok(RotatedKey { old, new });
        }
        Err(KeyError::Store(cause))
    }

    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        let change = KeyChange::SetLimits(change);
        let key = self.change(caller, RequestedScope::All, id, change).await?;
        self.announced(key).await
    }

    async fn set_plan(
        &self,
        caller: &Caller,
        customer: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        admins_only(caller)?;
        let actor = self.actor(caller).await?;
        let act = self.act(caller);
        let set = self.customers.set_plan(customer, plan, existing, &act);
        let (customer, changed) = set.await.map_err(unchanged)?;
        log::plan(&customer, changed.len(), actor);
        self.propagate(&changed).await?;
        Ok(customer)
    }
}
