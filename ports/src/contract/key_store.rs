//! What every key store does.

use std::future::Future;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::key::{ApiKey, Credential, HashGeneration, KeyHash, KeyId, KeyName, KeyPrefix, Owner};
use domain::limits::{Limits, LimitsChange, MonthlyUse};
use domain::month::Month;
use futures::future::join_all;
use uuid::Uuid;

use crate::outbound::{
    Change, ChangeNumber, InsertError, KeyRecord, KeyState, KeyStore, Snapshot, UpdateError,
};

mod feed;

/// One store, twice: over the same data, as two processes would have it.
pub struct KeyStoreUnderTest {
    /// The store, empty.
    pub store: Arc<dyn KeyStore>,
    /// The same data, by another way where there is one.
    pub elsewhere: Arc<dyn KeyStore>,
}

/// Runs the whole suite; `make` gives a fresh store each time.
pub async fn key_store<F: Future<Output = KeyStoreUnderTest>>(make: impl Fn() -> F) {
    an_empty_store_knows_nothing(make().await).await;
    a_key_is_found_as_it_was_added(make().await).await;
    the_credentials_of_active_keys_are_told_newest_first(make().await).await;
    a_prefix_belongs_to_one_key(make().await).await;
    of_many_that_want_one_prefix_one_gets_it(make().await).await;
    the_newest_key_is_listed_first(make().await).await;
    a_new_key_has_used_nothing(make().await).await;
    limits_are_what_they_were_set_to_last(make().await).await;
    changing_one_limit_leaves_the_other(make().await).await;
    limits_changed_at_the_same_time_are_both_changed(make().await).await;
    a_revoked_key_stays_revoked_as_it_was(make().await).await;
    a_revoked_key_can_still_be_checked(make().await).await;
    what_is_not_there_is_not_changed(make().await).await;
    feed::a_version_grows_with_every_change(make().await).await;
    feed::changes_come_in_order_with_the_state_of_now(make().await).await;
    feed::adding_a_key_is_no_change(make().await).await;
    feed::a_thousand_changes_come_at_once_and_the_rest_after(make().await).await;
    feed::changes_made_at_the_same_time_have_a_number_each(make().await).await;
    what_one_process_does_another_sees(make().await).await;
}

/// A key of the suite, the `number`th made.
pub fn record(number: u16) -> KeyRecord {
    let id = KeyId(Uuid::from_u128(
        0x0198_f3c2_0000_7000_8000_0000_0000_0000 + u128::from(number),
    ));
    let environment = if number.is_multiple_of(2) {
        "live"
    } else {
        "test"
    };
    let prefix = format!("cep_{environment}_Suite{number:03}");
    let key = ApiKey {
        id,
        owner: Owner {
            issuer: "https://issuer.example".to_owned(),
            subject: format!("subject-{number}"),
        },
        name: KeyName::parse(&format!("Llave «{number}» 🔑")).expect("a name of the suite"),
        prefix: KeyPrefix::parse(&prefix).expect("a prefix of the suite"),
        limits: limits(60, Some(1_000)),
        created_at: noon() + TimeDelta::milliseconds(i64::from(number)),
        revoked_at: None,
        last_used_at: None,
    };
    let credential = Credential {
        id,
        hash: KeyHash(std::array::from_fn(|place| {
            place.to_le_bytes()[0].wrapping_mul(37)
        })),
        generation: HashGeneration(number),
    };
    KeyRecord { key, credential }
}

fn limits(per_minute: u32, monthly_quota: Option<u64>) -> Limits {
    Limits::new(per_minute, monthly_quota).expect("limits of the suite")
}

fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_795_262_400_123).expect("an instant of the suite")
}

fn month() -> Month {
    Month::of(noon())
}

async fn added(store: &Arc<dyn KeyStore>, number: u16) -> ApiKey {
    let record = record(number);
    store
        .insert(record.clone())
        .await
        .expect("the key is added");
    record.key
}

async fn found(store: &Arc<dyn KeyStore>, id: KeyId) -> ApiKey {
    let keys = store.list().await.expect("the store works");
    let key = keys.into_iter().find(|key| key.id == id);
    key.expect("the key is there")
}

async fn state(store: &Arc<dyn KeyStore>, id: KeyId) -> KeyState {
    let snapshot = store.snapshot(id, month()).await.expect("the store works");
    snapshot.expect("the key is there").state
}

async fn changes(store: &Arc<dyn KeyStore>, after: ChangeNumber) -> Vec<Change> {
    store.changes(after).await.expect("the store works")
}

async fn newest(store: &Arc<dyn KeyStore>) -> ChangeNumber {
    store.newest_change().await.expect("the store works")
}

async fn an_empty_store_knows_nothing(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let KeyRecord { key, .. } = record(1);
    assert_eq!(store.list().await.expect("the store works"), []);
    assert_eq!(
        store
            .credential(&key.prefix)
            .await
            .expect("the store works"),
        None
    );
    assert_eq!(
        store
            .snapshot(key.id, month())
            .await
            .expect("the store works"),
        None
    );
    assert_eq!(newest(&store).await, ChangeNumber(0));
    assert_eq!(changes(&store, ChangeNumber(0)).await, []);
}

async fn a_key_is_found_as_it_was_added(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let mut record = record(1);
    record.key.limits = limits(domain::limits::MAX_PER_MINUTE, None);
    record.credential.generation = HashGeneration(u16::MAX);
    store
        .insert(record.clone())
        .await
        .expect("the key is added");
    assert_eq!(found(&store, record.key.id).await, record.key);
    let credential = store
        .credential(&record.key.prefix)
        .await
        .expect("the store works");
    assert_eq!(credential, Some(record.credential));
    let other = KeyPrefix::parse("cep_live_Suite001").expect("a prefix of the suite");
    assert_eq!(
        store.credential(&other).await.expect("the store works"),
        None
    );
}

async fn the_credentials_of_active_keys_are_told_newest_first(
    KeyStoreUnderTest { store, .. }: KeyStoreUnderTest,
) {
    let keys = [
        added(&store, 1).await,
        added(&store, 2).await,
        added(&store, 3).await,
    ];
    store
        .revoke(keys[1].id, keys[1].created_at)
        .await
        .expect("the key is revoked");
    let told = async |most| store.credentials(most).await.expect("the store works");
    assert_eq!(told(0).await, []);
    let all = told(10).await;
    let prefixes: Vec<_> = all.iter().map(|(prefix, _)| prefix).collect();
    assert_eq!(prefixes, [&keys[2].prefix, &keys[0].prefix]);
    assert_eq!(all[1].1, record(1).credential);
    assert_eq!(told(1).await, all[..1]);
}

async fn a_prefix_belongs_to_one_key(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let first = added(&store, 1).await;
    let mut second = record(2);
    second.key.prefix = first.prefix.clone();
    let refused = store.insert(second.clone()).await;
    assert!(
        matches!(refused, Err(InsertError::PrefixTaken)),
        "{refused:?}"
    );
    let kept = store.list().await.expect("the store works");
    assert_eq!(kept, std::slice::from_ref(&first));
    let revoked = store.revoke(first.id, noon()).await;
    assert!(revoked.is_ok(), "{revoked:?}");
    let refused = store.insert(second).await;
    assert!(
        matches!(refused, Err(InsertError::PrefixTaken)),
        "of a revoked key too: {refused:?}"
    );
}

async fn of_many_that_want_one_prefix_one_gets_it(under_test: KeyStoreUnderTest) {
    let inserts = (0..20).map(|number| {
        let mut record = record(number);
        record.key.prefix = self::record(0).key.prefix;
        let store = if number % 2 == 0 {
            &under_test.store
        } else {
            &under_test.elsewhere
        };
        store.insert(record)
    });
    let results = join_all(inserts).await;
    let added = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(added, 1, "{results:?}");
    let taken = |result: &&Result<(), _>| matches!(result, Err(InsertError::PrefixTaken));
    assert_eq!(results.iter().filter(taken).count(), 19, "{results:?}");
}

async fn the_newest_key_is_listed_first(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let mut expected = Vec::new();
    for number in [2, 3, 1] {
        expected.push(added(&store, number).await);
    }
    expected.sort_by_key(|key| std::cmp::Reverse(key.created_at));
    assert_eq!(store.list().await.expect("the store works"), expected);
}

async fn a_new_key_has_used_nothing(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let key = added(&store, 1).await;
    let snapshot = store
        .snapshot(key.id, month())
        .await
        .expect("the store works");
    let snapshot = snapshot.expect("the key is there");
    let expected = Snapshot {
        state: KeyState {
            revoked: false,
            limits: key.limits,
            version: snapshot.state.version,
        },
        month: month(),
        used: MonthlyUse::default(),
    };
    assert_eq!(snapshot, expected);
}

async fn limits_are_what_they_were_set_to_last(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let key = added(&store, 1).await;
    let unchanged = added(&store, 2).await;
    for new in [
        limits(600, None),
        limits(1, Some(domain::limits::MAX_MONTHLY_QUOTA)),
    ] {
        let answer = store
            .set_limits(key.id, new.into())
            .await
            .expect("the key is changed");
        assert_eq!(
            answer,
            ApiKey {
                limits: new,
                ..key.clone()
            }
        );
        assert_eq!(found(&store, key.id).await, answer);
        assert_eq!(state(&store, key.id).await.limits, new);
    }
    assert_eq!(found(&store, unchanged.id).await, unchanged);
}

fn per_minute(number: u32) -> LimitsChange {
    LimitsChange::new(Some(number), None).expect("a change of the suite")
}

fn monthly_quota(quota: Option<u64>) -> LimitsChange {
    LimitsChange::new(None, Some(quota)).expect("a change of the suite")
}

async fn changing_one_limit_leaves_the_other(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let key = added(&store, 1).await.id;
    for (change, expected) in [
        (per_minute(7), limits(7, Some(1_000))),
        (monthly_quota(Some(50)), limits(7, Some(50))),
        (monthly_quota(None), limits(7, None)),
        (per_minute(8), limits(8, None)),
    ] {
        let answer = store.set_limits(key, change).await;
        assert_eq!(answer.expect("the key is changed").limits, expected);
        assert_eq!(state(&store, key).await.limits, expected);
    }
}

async fn limits_changed_at_the_same_time_are_both_changed(under_test: KeyStoreUnderTest) {
    let KeyStoreUnderTest { store, elsewhere } = under_test;
    let key = added(&store, 1).await.id;
    for number in 1..=20_u32 {
        let (one, other) = futures::join!(
            store.set_limits(key, per_minute(number)),
            elsewhere.set_limits(key, monthly_quota(Some(number.into()))),
        );
        one.expect("the key is changed");
        other.expect("the key is changed");
        assert_eq!(
            state(&store, key).await.limits,
            limits(number, Some(number.into()))
        );
    }
}

async fn a_revoked_key_stays_revoked_as_it_was(under_test: KeyStoreUnderTest) {
    let KeyStoreUnderTest { store, elsewhere } = under_test;
    let key = added(&store, 1).await;
    let revoked = store
        .revoke(key.id, noon())
        .await
        .expect("the key is revoked");
    assert_eq!(revoked.revoked_at, Some(noon()));
    let before = (newest(&store).await, state(&store, key.id).await);
    assert!(before.1.revoked);
    for store in [&store, &elsewhere] {
        let again = store.revoke(key.id, noon() + TimeDelta::days(1)).await;
        assert_eq!(again.expect("revoking again is no error"), revoked);
        assert_eq!(
            (newest(store).await, state(store, key.id).await),
            before,
            "nothing changed"
        );
    }
    let limited = store
        .set_limits(key.id, limits(5, None).into())
        .await
        .expect("the key is changed");
    assert_eq!(limited.revoked_at, Some(noon()), "new limits revive no key");
    assert!(state(&store, key.id).await.revoked);
}

async fn a_revoked_key_can_still_be_checked(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let key = added(&store, 1).await;
    store
        .revoke(key.id, noon())
        .await
        .expect("the key is revoked");
    let credential = store
        .credential(&key.prefix)
        .await
        .expect("the store works");
    assert_eq!(credential, Some(record(1).credential));
    assert_eq!(store.list().await.expect("the store works").len(), 1);
}

async fn what_is_not_there_is_not_changed(KeyStoreUnderTest { store, .. }: KeyStoreUnderTest) {
    let KeyRecord { key, .. } = record(1);
    let revoked = store.revoke(key.id, noon()).await;
    assert!(matches!(revoked, Err(UpdateError::NotFound)), "{revoked:?}");
    let limited = store.set_limits(key.id, limits(1, None).into()).await;
    assert!(matches!(limited, Err(UpdateError::NotFound)), "{limited:?}");
    assert_eq!(newest(&store).await, ChangeNumber(0));
}

async fn what_one_process_does_another_sees(under_test: KeyStoreUnderTest) {
    let KeyStoreUnderTest { store, elsewhere } = under_test;
    let key = added(&store, 1).await;
    assert_eq!(found(&elsewhere, key.id).await, key);
    let revoked = elsewhere
        .revoke(key.id, noon())
        .await
        .expect("the key is revoked");
    assert_eq!(found(&store, key.id).await, revoked);
    assert_eq!(newest(&store).await, newest(&elsewhere).await);
    let seen = changes(&store, ChangeNumber(0)).await;
    assert_eq!(seen, changes(&elsewhere, ChangeNumber(0)).await);
    assert!(matches!(seen[..], [Change { key: changed, .. }] if changed == key.id));
}
