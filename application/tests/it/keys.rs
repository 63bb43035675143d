//! Key administration: scope, life cycle, limits, audit log and failures.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{Fixture, HERE, Holder, fixture, key_order};
use crate::support::{
    ADMIN, ANA, LUIS, OWN, WatchedKeys, assert_forbidden, assert_not_found, hasher, limits, noon,
    operator, person,
};
use application::{
    AdmissionError, Caller, CreatedKey, KeyError, KeyService, NewKey, RequestedScope,
};
use chrono::TimeDelta;
use domain::audit::{Action, AuditFilter};
use domain::keys::{
    Environment, Grace, KeyFilter, KeyId, KeyName, KeyOverview, KeyQuery, KeySort, KeyStatus,
    MOST_NEW_KEYS, RevokedKeys,
};
use domain::limits::{Limits, LimitsChange, Plan};
use domain::page::{Direction, PageRequest, PageSize};
use domain::people::customer::{CustomerId, ExistingKeys, Role};
use ports::outbound::{AuditLog, Clock, CustomerStore};
use testkit::fakes::{CountingRandom, Fault};
use uuid::Uuid;

mod failures;
mod lifecycle;
mod log;
mod scope;

fn name(text: &str) -> KeyName {
    KeyName::parse(text).unwrap()
}

fn order(limits: Option<Limits>) -> NewKey {
    key_order(Environment::Test, limits)
}

fn listing() -> KeyQuery {
    KeyQuery {
        filter: KeyFilter::default(),
        order: KeySort::Created,
        direction: Direction::Descending,
        page: PageRequest::first(PageSize::MAX),
    }
}

fn hours(hours: u32) -> Grace {
    Grace::from_hours(hours).unwrap()
}

fn ten_a_minute() -> LimitsChange {
    LimitsChange::new(Some(10), None).unwrap()
}

/// A fixture, and a key of Ana's.
async fn start() -> (Fixture, CreatedKey) {
    let fixture = fixture();
    let created = fixture.created_by(&ANA).await;
    (fixture, created)
}

/// A fixture, and the id of a key of Ana's.
async fn start_with_id() -> (Fixture, KeyId) {
    let (fixture, created) = start().await;
    (fixture, created.key.key.id)
}

impl Fixture {
    async fn created_by(&self, caller: &Caller) -> CreatedKey {
        self.keys.create(caller, order(None)).await.unwrap()
    }

    async fn listed(
        &self,
        caller: &Caller,
        requested: RequestedScope,
    ) -> Result<Vec<KeyId>, KeyError> {
        let page = self.keys.list(caller, requested, &listing()).await?;
        let keys = page.items.into_iter().map(|(_, overview)| overview.key.id);
        Ok(keys.collect())
    }

    /// The caller's own keys, newest first.
    async fn own(&self, caller: &Caller) -> Vec<KeyId> {
        let first = PageRequest::first(PageSize::MAX);
        let page = self.keys.own(caller, RevokedKeys::Included, &first).await;
        let keys = page.unwrap().items.into_iter().map(|(_, key)| key.id);
        keys.collect()
    }

    /// The audit log, oldest first: actions and actors.
    async fn log(&self) -> Vec<(Action, String)> {
        let ask = PageRequest::first(PageSize::MAX);
        let log = self.data.audit(&AuditFilter::default(), &ask).await;
        let mut entries: Vec<_> = log.unwrap().items.into_iter().map(|(_, it)| it).collect();
        entries.reverse();
        let shown = entries.into_iter();
        shown
            .map(|entry| (entry.action, entry.act.actor.subject))
            .collect()
    }

    async fn revoke_own(&self, caller: &Caller, id: KeyId) -> Result<KeyOverview, KeyError> {
        self.keys.revoke(caller, OWN, id).await
    }

    /// Makes the store fail right after the next commit.
    fn lose_the_store_after_a_commit(&self) {
        let store = self.store.clone();
        let going = async move { store.go_down() };
        self.store.faults().after_next("snapshots", going);
    }

    async fn is_admitted(&self, secret: &str) -> bool {
        match self.present(Some(secret), HERE).await {
            Ok(_) => true,
            Err(AdmissionError::InvalidKey) => false,
            Err(other) => panic!("{other:?}"),
        }
    }
}
