//! The ports of one database, as given to the suites.

use std::sync::Arc;

use domain::audit::{AuditEntry, AuditFilter};
use domain::keys::{ApiKey, KeyBounds, KeyId};
use domain::limits::{MonthlyUse, Plan};
use domain::month::Month;
use domain::page::{PageRequest, PageSize};
use domain::people::customer::{Customer, CustomerId, ExistingKeys};
use futures::future::join_all;

use super::fixture::{act, customer, month, record};
use super::ok;
use crate::outbound::*;

/// One connection to a database.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is the port of its type")]
pub struct Stores {
    pub keys: Arc<dyn KeyStore>,
    pub customers: Arc<dyn CustomerStore>,
    pub usage: Arc<dyn UsageReader>,
    pub audit: Arc<dyn AuditLog>,
    pub deny_list: Arc<dyn DenyList>,
    pub secret_fingerprints: Arc<dyn SecretFingerprints>,
    pub catalogues: Arc<dyn CatalogueStore>,
    pub seals: Arc<dyn SealStore>,
    pub seen_proofs: Arc<dyn SeenProofs>,
    pub archive: Arc<dyn ProofArchive>,
    pub lookups: Arc<dyn LookupStore>,
    pub batches: Arc<dyn BatchStore>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub own_accounts: Arc<dyn OwnAccountStore>,
    pub webhooks: Arc<dyn WebhookStore>,
}

/// A pair of connections to one empty database, as two processes would have it.
pub struct Pair {
    /// The database.
    pub here: Stores,
    /// The same data over another connection, if there is one.
    pub elsewhere: Stores,
}

impl Pair {
    /// Makes a call for each of these at once, by turns over the one connection and the other.
    pub(super) async fn at_once<N, T>(
        &self,
        each: impl IntoIterator<Item = N>,
        call: impl AsyncFn(&Stores, N) -> T,
    ) -> Vec<T> {
        let stores = [&self.here, &self.elsewhere].into_iter().cycle();
        let calls = stores.zip(each).map(|(stores, one)| call(stores, one));
        join_all(calls).await
    }

    /// Makes a call for each of these at once, and counts those that return `true`.
    pub(super) async fn succeeding<N>(
        &self,
        each: impl IntoIterator<Item = N>,
        call: impl AsyncFn(&Stores, N) -> bool,
    ) -> usize {
        let answers = self.at_once(each, call).await;
        answers.into_iter().filter(|succeeded| *succeeded).count()
    }
}

impl Stores {
    /// All ports of one store that implements them all.
    pub fn of<S>(store: Arc<S>) -> Self
    where
        S: KeyStore
            + CustomerStore
            + UsageReader
            + AuditLog
            + DenyList
            + SecretFingerprints
            + CatalogueStore
            + SealStore
            + SeenProofs
            + ProofArchive
            + LookupStore
            + BatchStore
            + IdempotencyStore
            + OwnAccountStore
            + WebhookStore
            + 'static,
    {
        Self {
            keys: store.clone(),
            customers: store.clone(),
            usage: store.clone(),
            audit: store.clone(),
            deny_list: store.clone(),
            secret_fingerprints: store.clone(),
            catalogues: store.clone(),
            seals: store.clone(),
            seen_proofs: store.clone(),
            archive: store.clone(),
            lookups: store.clone(),
            batches: store.clone(),
            idempotency: store.clone(),
            own_accounts: store.clone(),
            webhooks: store,
        }
    }

    /// Adds the `number`th customer of the suites.
    pub(super) async fn enrolled(&self, number: u16) -> Customer {
        ok(self.customers.find_or_insert(&customer(number))).await
    }

    /// Sets the plan of a customer, without its keys.
    pub(super) async fn set_plan(&self, of: CustomerId, plan: Plan, number: u16) {
        let (keep, act) = (ExistingKeys::Keep, act(number));
        ok(self.customers.set_plan(of, plan, keep, &act)).await;
    }

    /// Adds the `number`th key of the suites, owned by the first customer.
    pub(super) async fn added(&self, number: u16) -> ApiKey {
        self.enrolled(1).await;
        self.insert(record(number), number).await
    }

    /// Adds a key of an existing customer.
    pub(super) async fn insert(&self, record: KeyRecord, number: u16) -> ApiKey {
        ok(self
            .keys
            .insert(record.clone(), KeyBounds::Unbounded, &act(number)))
        .await;
        record.key
    }

    /// Changes a key, in everybody's scope.
    pub(super) async fn change(
        &self,
        id: KeyId,
        change: KeyChange,
        number: u16,
    ) -> Result<ApiKey, UpdateError> {
        let act = act(number);
        self.keys.change(Scope::Everybody, id, &change, &act).await
    }

    pub(super) async fn changed(&self, id: KeyId, change: KeyChange, number: u16) -> ApiKey {
        ok(self.change(id, change, number)).await
    }

    pub(super) async fn found(&self, id: KeyId) -> ApiKey {
        ok(self.keys.find(Scope::Everybody, id, month()))
            .await
            .expect("the key is there")
            .key
    }

    pub(super) async fn snapshot(&self, id: KeyId, month: Month) -> Snapshot {
        let snapshot = ok(self.keys.snapshot(id, month)).await;
        snapshot.expect("the key is there")
    }

    pub(super) async fn state(&self, id: KeyId) -> KeyState {
        self.snapshot(id, month()).await.state
    }

    /// Requests of a month that were charged to a key's counters, and refunded.
    pub(super) async fn used_by(&self, id: KeyId, month: Month) -> (u64, u64) {
        let MonthlyUse { charged, refunded } = self.snapshot(id, month).await.used;
        (charged, refunded)
    }

    pub(super) async fn changes(&self, after: ChangeNumber) -> Vec<Change> {
        ok(self.keys.changes(after)).await
    }

    pub(super) async fn newest_change(&self) -> ChangeNumber {
        ok(self.keys.newest_change()).await
    }

    /// Audit entries about a key, newest first.
    pub(super) async fn written_about(&self, key: KeyId) -> Vec<AuditEntry> {
        let filter = AuditFilter {
            key: Some(key),
            ..AuditFilter::default()
        };
        self.written(&filter).await
    }

    /// Audit entries, newest first.
    pub(super) async fn written(&self, filter: &AuditFilter) -> Vec<AuditEntry> {
        let request = PageRequest::first(PageSize::MAX);
        let page = ok(self.audit.audit(filter, &request)).await;
        assert!(!page.has_next, "the suite asks for one page");
        page.items.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// The keys that changed.
pub(super) fn keys_of(changes: &[Change]) -> Vec<KeyId> {
    let keys = changes.iter().map(|change| change.credential.id);
    keys.collect()
}
