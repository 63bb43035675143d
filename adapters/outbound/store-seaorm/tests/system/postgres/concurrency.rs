//! Concurrent mutations by several processes.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::keys::{ApiKey, KeyBounds, KeyId, RevokedKeys};
use domain::limits::{Limits, Plan};
use domain::page::{PageRequest, PageSize};
use domain::people::customer::{Customer, CustomerId, ExistingKeys};
use futures::future::join_all;
use ports::contract::fixture::{act, customer, record, record_of};
use ports::outbound::{
    ChangeNumber, CustomerStore, Denial, DenyList, Fingerprint, InsertError, KeyChange, KeyStore,
    RotateError, Rotation, Scope,
};
use store_seaorm::{Retention, Store};
use uuid::Uuid;

use crate::both::entries::{add_key, change, endless, insert, now, number, revoke, successor};
use crate::postgres::server::{TestDatabase, database_or_skip};

/// Three processes.
async fn processes(database: &TestDatabase) -> [Arc<Store>; 3] {
    [
        database.open().await,
        database.open().await,
        database.open().await,
    ]
    .map(Arc::new)
}

/// Answers of all of them to the `number`th of some mutations, done at once.
async fn at_once<T, F>(
    stores: &[Arc<Store>; 3],
    steps: u16,
    step: impl Fn(Arc<Store>, u16) -> F,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let steps = (1..=steps).zip(stores.iter().cycle());
    let steps = steps.map(|(number, store)| tokio::spawn(step(Arc::clone(store), number)));
    let answers = join_all(steps).await.into_iter();
    answers.map(Result::unwrap).collect()
}

/// Rotates a key, which retires tomorrow, as the `number`th mutation; its successor is the `number`th key.
async fn rotate(store: &Store, key: KeyId, number: u16) -> Result<Rotation, RotateError> {
    let (new, tomorrow, act) = (successor(number), now() + TimeDelta::days(1), act(number));
    let (scope, bounds) = (Scope::Everybody, KeyBounds::Unbounded);
    let rotated = store.rotate(scope, key, &new, tomorrow, bounds, &act);
    rotated.await
}

/// The keys of the first customer.
async fn keys(store: &Store, revoked: RevokedKeys) -> Vec<ApiKey> {
    let all = PageRequest::first(PageSize::MAX);
    let page = store.of_customer(customer(1).id, revoked, &all).await;
    let items = page.unwrap().items.into_iter();
    items.map(|(_, key)| key).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_never_has_more_active_keys_than_it_may() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    stores[0].find_or_insert(&customer(1)).await.unwrap();
    let added = at_once(&stores, 24, |store, number| async move {
        let (record, act) = (record(number), act(number));
        store.insert(record, KeyBounds::OfPlan, &act).await
    });
    let (added, refused): (Vec<_>, Vec<_>) = added.await.into_iter().partition(Result::is_ok);
    assert_eq!(added.len(), 10);
    for refused in refused {
        assert!(matches!(refused, Err(InsertError::Bound(_))));
    }
    assert_eq!(keys(&stores[1], RevokedKeys::Included).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_sign_ups_of_one_person_create_one_customer() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    let enrolled = at_once(&stores, 12, |store, number| async move {
        let newcomer = Customer {
            id: CustomerId(Uuid::from_u128(number.into())),
            ..customer(1)
        };
        store.find_or_insert(&newcomer).await.unwrap().id
    });
    let enrolled = enrolled.await;
    assert!(enrolled.iter().all(|id| *id == enrolled[0]), "{enrolled:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_denials_at_once_one_is_new_and_the_longest_lasts() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    let fingerprint = Fingerprint("a".repeat(64));
    let denials = at_once(&stores, 24, |store, number| {
        let fingerprint = fingerprint.clone();
        let until = now() + TimeDelta::seconds(number.into());
        async move { store.deny(&fingerprint, until).await.unwrap() }
    });
    let denials = denials.await;
    let new = denials.iter().filter(|denial| **denial == Denial::New);
    assert_eq!(new.count(), 1);
    let last = now() + TimeDelta::seconds(24);
    let connection = database.connect().await;
    let until = number(&connection, "SELECT until FROM denied").await;
    assert_eq!(until, last.timestamp_millis());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_that_is_extended_while_it_is_pruned_stays() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    for round in 0..60 {
        let fingerprint = Fingerprint(format!("{round:064}"));
        stores[0].deny(&fingerprint, now()).await.unwrap();
        let over = Retention {
            now: now(),
            ..endless()
        };
        let later = now() + TimeDelta::hours(1);
        let (pruning, denying) = (stores[1].prune(over), stores[2].deny(&fingerprint, later));
        let (pruned, denied) = tokio::join!(pruning, denying);
        pruned.unwrap();
        denied.unwrap();
        assert!(stores[0].is_denied(&fingerprint).await.unwrap(), "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_many_revoke_or_rotate_at_once_is_revoked_and_rotated_once() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    let key = add_key(&stores[0], 1).await;
    let rotated = at_once(&stores, 12, |store, number| async move {
        rotate(&store, key, number + 1).await
    });
    let rotated = rotated.await;
    assert_eq!(rotated.iter().filter(|rotated| rotated.is_ok()).count(), 1);
    for refused in rotated.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, RotateError::AlreadyRotated), "{refused}");
    }
    let revoked = at_once(&stores, 12, |store, number| async move {
        let revoked = revoke(&store, key, number + 100).await;
        revoked.unwrap().revoked_at
    });
    let revoked = revoked.await;
    assert!(revoked.iter().all(|at| *at == revoked[0]), "{revoked:?}");
    let connection = database.connect().await;
    let log = "SELECT COUNT(*) FROM audit_log WHERE action = 'key_revoked'";
    assert_eq!(number(&connection, log).await, 1);
    let changes = stores[0].changes(ChangeNumber(0)).await.unwrap();
    let revoked = changes.iter().filter(|change| change.credential.id == key);
    assert_eq!(revoked.count(), 2, "added and revoked");
    assert_eq!(changes.len(), 3, "and its successor");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_plan_reaches_a_key_that_is_rotated_meanwhile() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    stores[0].find_or_insert(&customer(1)).await.unwrap();
    for round in 1..=20_u16 {
        let key = insert(&stores[0], record(round * 2), round * 2).await;
        let plan = [Plan::Startup, Plan::Enterprise][usize::from(round % 2)];
        let planning = act(round + 1_000);
        let (followed, planned) = tokio::join!(
            rotate(&stores[1], key, round * 2 + 1),
            stores[2].set_plan(customer(1).id, plan, ExistingKeys::Follow, &planning),
        );
        followed.unwrap();
        planned.unwrap();
        for key in keys(&stores[0], RevokedKeys::Hidden).await {
            assert_eq!(key.limits, plan.limits(), "round {round}: {}", key.id);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_are_seen_in_order_and_without_a_gap() {
    const KEYS: u16 = 12;
    const ROUNDS: u16 = 15;
    let database = database_or_skip!();
    let stores = processes(&database).await;
    for number in 1..=KEYS {
        let owner = customer(1 + number % 3);
        stores[0].find_or_insert(&owner).await.unwrap();
        insert(&stores[0], record_of(&owner, number), number).await;
    }
    let watcher = database.open().await;
    let watching = tokio::spawn(async move {
        let mut seen = 0_u64;
        while seen < u64::from(KEYS + KEYS * ROUNDS) {
            for change in watcher.changes(ChangeNumber(seen)).await.unwrap() {
                assert_eq!(change.number.0, seen + 1, "a gap, or another order");
                seen += 1;
            }
        }
    });
    let changing = at_once(&stores, KEYS, |store, number| async move {
        let key: KeyId = record_of(&customer(1 + number % 3), number).key.id;
        for round in 1..=ROUNDS {
            let limits = Limits::new(u32::from(round) * 7, Some(u64::from(number))).unwrap();
            let limits = KeyChange::SetLimits(limits.into());
            let changed = change(&store, key, &limits, 1_000 + number * 100 + round);
            changed.await.unwrap();
        }
    });
    changing.await;
    watching.await.unwrap();
}
