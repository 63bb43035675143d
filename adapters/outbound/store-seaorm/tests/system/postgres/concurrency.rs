//! Concurrent mutations by several processes.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::customer::{Customer, ExistingKeys};
use domain::key::{KeyBounds, KeyId, RevokedKeys};
use domain::limits::{Limits, Plan};
use domain::page::{PageRequest, PageSize};
use futures::future::join_all;
use ports::contract::fixture::{act, customer, record, record_of};
use ports::outbound::{
    ChangeNumber, CustomerStore, Denial, DenyList, Fingerprint, InsertError, KeyChange, KeyRecord,
    KeyStore, RotateError, Scope, Successor,
};
use store_seaorm::{Retention, Store};
use uuid::Uuid;

use crate::postgres::server::{TestDatabase, database_or_skip};
use crate::postgres::support::{add_key, now, number};

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

fn successor(number: u16) -> Successor {
    let KeyRecord { key, credential } = record(number);
    Successor {
        prefix: key.prefix,
        credential,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_never_has_more_active_keys_than_it_may() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    stores[0].find_or_insert(&customer(1)).await.unwrap();
    let added = at_once(&stores, 24, |store, number| async move {
        store
            .insert(record(number), KeyBounds::OfPlan, &act(number))
            .await
    });
    let added = added.await;
    assert_eq!(added.iter().filter(|added| added.is_ok()).count(), 10);
    let refused = added.iter().filter_map(|added| added.as_ref().err());
    assert!(
        refused
            .into_iter()
            .all(|refused| matches!(refused, InsertError::Bound(_)))
    );
    let kept = stores[1]
        .of_customer(
            customer(1).id,
            RevokedKeys::Included,
            &PageRequest::first(PageSize::MAX),
        )
        .await;
    assert_eq!(kept.unwrap().items.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_sign_ups_of_one_person_create_one_customer() {
    let database = database_or_skip!();
    let stores = processes(&database).await;
    let enrolled = at_once(&stores, 12, |store, number| async move {
        let newcomer = Customer {
            id: domain::customer::CustomerId(Uuid::from_u128(number.into())),
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
            requests_before: now(),
            usage_before: now(),
            archived_before: now(),
            lookups_ended_before: now(),
            now: now(),
        };
        let later = now() + TimeDelta::hours(1);
        let (pruned, denied) =
            tokio::join!(stores[1].prune(over), stores[2].deny(&fingerprint, later));
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
        let tomorrow = now() + TimeDelta::days(1);
        let (new, act) = (successor(number + 1), act(number + 1));
        store
            .rotate(
                Scope::Everybody,
                key,
                &new,
                tomorrow,
                KeyBounds::Unbounded,
                &act,
            )
            .await
    });
    let rotated = rotated.await;
    assert_eq!(rotated.iter().filter(|rotated| rotated.is_ok()).count(), 1);
    for refused in rotated.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, RotateError::AlreadyRotated), "{refused}");
    }
    let revoked = at_once(&stores, 12, |store, number| async move {
        let act = act(number + 100);
        let revoked = store
            .change(Scope::Everybody, key, &KeyChange::Revoke, &act)
            .await;
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
        let (first, second) = (round * 2, round * 2 + 1);
        stores[0]
            .insert(record(first), KeyBounds::Unbounded, &act(first))
            .await
            .unwrap();
        let plan = if round % 2 == 0 {
            Plan::Startup
        } else {
            Plan::Enterprise
        };
        let (tomorrow, scope) = (now() + TimeDelta::days(1), Scope::Everybody);
        let (new, rotation, plans) = (successor(second), act(second), act(round + 1_000));
        let (followed, planned) = tokio::join!(
            stores[1].rotate(
                scope,
                record(first).key.id,
                &new,
                tomorrow,
                KeyBounds::Unbounded,
                &rotation
            ),
            stores[2].set_plan(customer(1).id, plan, ExistingKeys::Follow, &plans),
        );
        followed.unwrap();
        planned.unwrap();
        let keys = stores[0]
            .of_customer(
                customer(1).id,
                RevokedKeys::Hidden,
                &PageRequest::first(PageSize::MAX),
            )
            .await;
        for (_, key) in keys.unwrap().items {
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
        let act = act(number);
        stores[0]
            .insert(record_of(&owner, number), KeyBounds::Unbounded, &act)
            .await
            .unwrap();
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
            let change = KeyChange::SetLimits(limits.into());
            let act = act(1_000 + number * 100 + round);
            store
                .change(Scope::Everybody, key, &change, &act)
                .await
                .unwrap();
        }
    });
    changing.await;
    watching.await.unwrap();
}
