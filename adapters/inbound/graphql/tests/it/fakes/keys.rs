//! Fake of `KeyAdministration`.

use std::sync::Mutex;

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::customer::{Customer, CustomerId, ExistingKeys};
use domain::key::{
    ApiKey, Environment, FullKey, Grace, KeyId, KeyName, KeyOverview, KeyPrefix, KeyQuery,
    KeyStatus, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, MonthlyUse, Plan};
use domain::month::Month;
use domain::page::{Cursor, Direction, Page};
use ports::inbound::{
    Caller, CreatedKey, KeyAdministration, KeyError, NewKey, RequestedScope, RotatedKey,
};

use super::{SECRET, Shared, customer, customer_id, key_id, now, only_admins, owner};

fn overview(number: u128, subject: &str) -> KeyOverview {
    let environment = if number.is_multiple_of(2) {
        "test"
    } else {
        "live"
    };
    KeyOverview {
        key: ApiKey {
            id: key_id(number),
            customer: customer_id(subject),
            owner: owner(subject),
            name: KeyName::parse(&format!("till {number}")).unwrap(),
            prefix: KeyPrefix::parse(&format!("cep_{environment}_Key{number:05}")).unwrap(),
            limits: Plan::Startup.limits(),
            created_at: now() - TimeDelta::days(20)
                + TimeDelta::seconds(i64::try_from(number).unwrap()),
            retires_at: None,
            revoked_at: None,
            last_used_at: Some(now() - TimeDelta::minutes(3)),
        },
        month: Month::of(now()),
        used: MonthlyUse {
            charged: 830,
            refunded: 5,
        },
    }
}

/// Keys 1 to 120 are the member's, 121 is another's. Key 2 is revoked, key 3 retires, key 4 has a
/// successor, key 5 has no cap.
pub(crate) struct FakeKeys {
    pub(crate) shared: Shared,
    keys: Mutex<Vec<KeyOverview>>,
}

impl Default for FakeKeys {
    fn default() -> Self {
        let mut keys: Vec<_> = (1..=120).map(|number| overview(number, "member")).collect();
        keys.push(overview(121, "other"));
        keys[1].key.revoked_at = Some(now() - TimeDelta::hours(2));
        keys[2].key.retires_at = Some(now() + TimeDelta::hours(24));
        keys[3].key.retires_at = Some(now() + TimeDelta::hours(1));
        keys[4].key.limits = Limits::new(600, None).unwrap();
        keys[4].key.last_used_at = None;
        Self {
            shared: Shared::new(),
            keys: Mutex::new(keys),
        }
    }
}

impl FakeKeys {
    fn change(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
        change: impl FnOnce(&mut ApiKey) -> Result<(), KeyError>,
    ) -> Result<KeyOverview, KeyError> {
        only_admins(caller, reach)?;
        let mut keys = self.keys.lock().unwrap();
        let key = keys.iter_mut().find(|overview| {
            overview.key.id == id
                && (reach != RequestedScope::Own || overview.key.owner == caller.owner)
        });
        let overview = key.ok_or(KeyError::NotFound)?;
        change(&mut overview.key)?;
        Ok(overview.clone())
    }
}

#[async_trait]
impl KeyAdministration for FakeKeys {
    async fn create(&self, caller: &Caller, order: NewKey) -> Result<CreatedKey, KeyError> {
        self.shared.called("create").await?;
        if order.name.as_str() == "one too many" {
            return Err(KeyError::TooManyKeys { most: 1_000 });
        }
        let mut key = overview(500, &caller.owner.subject);
        key.key.name = order.name;
        key.key.prefix = KeyPrefix::parse("cep_live_NewKey01").unwrap();
        key.key.last_used_at = None;
        key.used = MonthlyUse::default();
        let secret = FullKey::parse(SECRET).unwrap();
        assert!(order.limits.is_none() && order.environment == Environment::Live);
        Ok(CreatedKey { key, secret })
    }

    async fn list(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        ask: &KeyQuery,
    ) -> Result<Page<KeyOverview>, KeyError> {
        self.shared.called("list").await?;
        only_admins(caller, reach)?;
        let after = ask.page.after.as_ref();
        let after = after.map(|cursor| (cursor.millis(), cursor.id));
        if after.as_ref().is_some_and(|(millis, _)| millis.is_err()) {
            return Err(KeyError::Cursor);
        }
        let keys = self.keys.lock().unwrap();
        let mut found: Vec<_> = keys
            .iter()
            .filter(|overview| match reach {
                RequestedScope::Own => overview.key.owner == caller.owner,
                RequestedScope::All => true,
                RequestedScope::Of(customer) => overview.key.customer == customer,
            })
            .filter(|overview| {
                let filter = &ask.filter;
                let statuses = &filter.statuses;
                let name = overview.key.name.as_str();
                (statuses.is_empty() || statuses.contains(&overview.key.status()))
                    && filter
                        .environment
                        .is_none_or(|e| e == overview.key.prefix.environment())
                    && filter.text.as_ref().is_none_or(|text| name.contains(text))
            })
            .cloned()
            .collect();
        if ask.direction == Direction::Descending {
            found.reverse();
        }
        let total = found.len() as u64;
        let skipped = after.map_or(0, |(_, id)| {
            1 + found.iter().position(|key| key.key.id.0 == id).unwrap()
        });
        let items = found.into_iter().skip(skipped);
        let items = items
            .take(ask.page.first.get() as usize + 1)
            .map(|key| (Cursor::at(key.key.created_at, key.key.id.0), key));
        Ok(Page::of(items.collect(), ask.page.first, Some(total)))
    }

    async fn own(&self, _: &Caller, _: RevokedKeys) -> Result<Vec<ApiKey>, KeyError> {
        unreachable!("the API lists page by page")
    }

    async fn find(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("find").await?;
        self.change(caller, reach, id, |_| Ok(()))
    }

    async fn rename(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
        name: KeyName,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("rename").await?;
        self.change(caller, reach, id, |key| {
            key.name = name;
            Ok(())
        })
    }

    async fn revoke(
        &self,
        caller: &Caller,
        reach: RequestedScope,
        id: KeyId,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("revoke").await?;
        self.change(caller, reach, id, |key| {
            key.revoked_at = key.revoked_at.or(Some(now()));
            Ok(())
        })
    }

    async fn rotate(
        &self,
        caller: &Caller,
        id: KeyId,
        grace: Grace,
    ) -> Result<RotatedKey, KeyError> {
        self.shared.called("rotate").await?;
        let old = self.change(caller, RequestedScope::Own, id, |key| {
            match key.status() {
                KeyStatus::Revoked => return Err(KeyError::Revoked),
                KeyStatus::Retiring => return Err(KeyError::AlreadyRotated),
                KeyStatus::Active => {}
            }
            key.retires_at = Some(grace.end(now()));
            Ok(())
        })?;
        let mut key = overview(501, &caller.owner.subject);
        key.key.name = old.key.name.clone();
        let secret = FullKey::parse(SECRET).unwrap();
        let new = CreatedKey { key, secret };
        Ok(RotatedKey { old, new })
    }

    async fn set_limits(
        &self,
        caller: &Caller,
        id: KeyId,
        change: LimitsChange,
    ) -> Result<KeyOverview, KeyError> {
        self.shared.called("set_limits").await?;
        self.change(caller, RequestedScope::All, id, |key| {
            key.limits = change.apply(key.limits);
            Ok(())
        })
    }

    async fn set_plan(
        &self,
        caller: &Caller,
        id: CustomerId,
        plan: Plan,
        _: ExistingKeys,
    ) -> Result<Customer, KeyError> {
        self.shared.called("set_plan").await?;
        only_admins(caller, RequestedScope::All)?;
        if id != customer_id("member") {
            return Err(KeyError::NotFound);
        }
        Ok(Customer {
            plan,
            ..customer(owner("member"))
        })
    }
}
