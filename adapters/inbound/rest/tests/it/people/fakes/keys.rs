//! Keys and plans.

use super::*;

#[async_trait]
impl KeyAdministration for FakePeople {
    async fn create(&self, caller: &Caller, order: NewKey) -> Result<CreatedKey, KeyError> {
        self.note(caller, &order)?;
        assert!(order.limits.is_none(), "nobody chooses limits over REST");
        let text = NEW_SECRET.replace("test", order.environment.name());
        let secret = FullKey::parse(&text).unwrap();
        let mut key = self.keys.lock().unwrap()[0].clone();
        key.key.id = KeyId(Uuid::from_u128(7));
        key.key.name = order.name;
        key.key.prefix = secret.prefix().clone();
        Ok(CreatedKey { key, secret })
    }

    async fn list(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError> {
        self.note(caller, &(reach, ask))?;
        let keys = self.reached(caller, reach)?.into_iter();
        let items = keys
            .map(|key| (key.key.id.0, key.key.created_at, key))
            .collect();
        Ok(page(items, &ask.page))
    }

    async fn own(&self, caller: &Caller, revoked: RevokedKeys) -> Result<Vec<ApiKey>, KeyError> {
        self.note(caller, &revoked)?;
        let keys = self
            .reached(caller, RequestedScope::Own)?
            .into_iter()
            .map(|key| key.key);
        Ok(keys
            .filter(|key| revoked == RevokedKeys::Included || key.revoked_at.is_none())
            .collect())
    }

    async fn find(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(reach, id))?;
        self.change(caller, reach, id, |_| {})
    }

    async fn rename(
        &self,
        _: &Caller,
        _: RequestedScope,
        _: KeyId,
        _: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        unreachable!("no route of this crate renames")
    }

    async fn revoke(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(reach, id))?;
        self.turns.acquire().await.unwrap().forget();
        self.change(caller, reach, id, |key| {
            key.revoked_at.get_or_insert(now());
        })
    }

    async fn rotate(&self, _: &Caller, _: KeyId, _: Grace) -> Result<RotatedKey, KeyError> {
        unreachable!("no route of this crate rotates")
    }

    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        self.note(caller, &(id, change))?;
        self.change(caller, RequestedScope::All, id, |key| {
            key.limits = change.apply(key.limits);
        })
    }

    async fn set_plan(
        &self,
        caller: &Caller,
        customer: CustomerId,
        plan: Plan,
        existing: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        self.note(caller, &(customer, plan, existing))?;
        admins_only(caller)?;
        let mut found = customers().into_iter().find(|known| known.id == customer);
        if let Some(found) = &mut found {
            found.plan = plan;
        }
        found.ok_or(KeyError::NotFound)
    }
}
