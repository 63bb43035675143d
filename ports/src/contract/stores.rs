//! The ports that one database stands behind, as the suites are given them.

use std::sync::Arc;

use domain::audit::{AuditEntry, AuditFilter};
use domain::customer::Customer;
use domain::key::{ApiKey, KeyId};
use domain::page::{PageRequest, PageSize};

use super::fixture::{act, customer, month, record};
use crate::outbound::{
    AuditLog, Change, ChangeNumber, CustomerStore, DenyList, KeyChange, KeyRecord, KeyState,
    KeyStore, Scope, SecretFingerprints, UpdateError, UsageReader,
};

/// Keys that a customer of the suites may have, where that isn't what is tested.
pub(super) const MANY: u64 = 10_000;

/// One way to a database.
#[derive(Clone)]
pub struct Stores {
    /// Its keys.
    pub keys: Arc<dyn KeyStore>,
    /// Its customers.
    pub customers: Arc<dyn CustomerStore>,
    /// What was used.
    pub usage: Arc<dyn UsageReader>,
    /// Its audit log.
    pub audit: Arc<dyn AuditLog>,
    /// What was signed out.
    pub deny_list: Arc<dyn DenyList>,
    /// The secrets that it knows.
    pub secret_marks: Arc<dyn SecretFingerprints>,
}

/// A database, empty, by two ways: as two processes would have it.
pub struct StoresUnderTest {
    /// The database.
    pub here: Stores,
    /// The same data, by another way where there is one.
    pub elsewhere: Stores,
}

impl Stores {
    /// All ports of a store that has them all.
    pub fn of<S>(store: Arc<S>) -> Self
    where
        S: KeyStore
            + CustomerStore
            + UsageReader
            + AuditLog
            + DenyList
            + SecretFingerprints
            + 'static,
    {
        Self {
            keys: store.clone(),
            customers: store.clone(),
            usage: store.clone(),
            audit: store.clone(),
            deny_list: store.clone(),
            secret_marks: store,
        }
    }

    /// The `number`th customer of the suites, who is there from now on.
    pub(super) async fn enrolled(&self, number: u16) -> Customer {
        let enrolled = self.customers.enrol(&customer(number)).await;
        enrolled.expect("the store works")
    }

    /// Adds the `number`th key of the suites; it is the first customer's.
    pub(super) async fn added(&self, number: u16) -> ApiKey {
        self.enrolled(1).await;
        self.insert(record(number), number).await
    }

    /// Adds a key of a customer that is there.
    pub(super) async fn insert(&self, record: KeyRecord, number: u16) -> ApiKey {
        let added = self.keys.insert(record.clone(), MANY, &act(number)).await;
        added.expect("the key is added");
        record.key
    }

    /// Changes a key, whoever's it is.
    pub(super) async fn change(
        &self,
        id: KeyId,
        change: KeyChange,
        number: u16,
    ) -> Result<ApiKey, UpdateError> {
        let act = act(number);
        self.keys.change(Scope::Everybody, id, &change, &act).await
    }

    /// Changes a key that is there.
    pub(super) async fn changed(&self, id: KeyId, change: KeyChange, number: u16) -> ApiKey {
        let changed = self.change(id, change, number).await;
        changed.expect("the key is changed")
    }

    pub(super) async fn found(&self, id: KeyId) -> ApiKey {
        let found = self.keys.find(Scope::Everybody, id, month()).await;
        found
            .expect("the store works")
            .expect("the key is there")
            .key
    }

    pub(super) async fn state(&self, id: KeyId) -> KeyState {
        let snapshot = self.keys.snapshot(id, month()).await;
        let snapshot = snapshot.expect("the store works");
        snapshot.expect("the key is there").state
    }

    pub(super) async fn changes(&self, after: ChangeNumber) -> Vec<Change> {
        self.keys.changes(after).await.expect("the store works")
    }

    pub(super) async fn newest_change(&self) -> ChangeNumber {
        self.keys.newest_change().await.expect("the store works")
    }

    /// What the audit log says about a key, newest first.
    pub(super) async fn written_about(&self, key: KeyId) -> Vec<AuditEntry> {
        let filter = AuditFilter {
            key: Some(key),
            ..AuditFilter::default()
        };
        self.written(&filter).await
    }

    /// What the audit log says, newest first.
    pub(super) async fn written(&self, filter: &AuditFilter) -> Vec<AuditEntry> {
        let ask = PageRequest::first(PageSize::MAX);
        let page = self.audit.audit(filter, &ask).await;
        let page = page.expect("the log is read");
        assert!(!page.has_next, "the suite asks for one page");
        page.items.into_iter().map(|(_, entry)| entry).collect()
    }
}
