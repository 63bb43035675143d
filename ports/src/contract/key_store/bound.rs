//! Limit of active keys per customer.

use futures::future::join_all;

use super::super::fixture::{act, instant, record, record_of};
use super::super::stores::StoresUnderTest;
use super::rotation::rotated;
use super::{everything, listed};
use crate::outbound::{InsertError, KeyChange, Scope};

pub(super) async fn a_customer_has_no_more_active_keys_than_the_limit(
    StoresUnderTest { here, .. }: StoresUnderTest,
) {
    here.enrolled(1).await;
    let other = here.enrolled(2).await;
    let insert = async |record, number| here.keys.insert(record, 3, &act(number)).await;
    for number in 1..=3 {
        let added = insert(record(number), number).await;
        added.expect("there is room for it");
    }
    let refused = insert(record(4), 4).await;
    assert!(
        matches!(refused, Err(InsertError::TooManyKeys)),
        "{refused:?}"
    );
    let anothers = insert(record_of(&other, 5), 5).await;
    anothers.expect("each customer is counted by itself");

    here.changed(record(1).key.id, KeyChange::Revoke, 6).await;
    let added = insert(record(7), 7).await;
    added.expect("a revoked key doesn't count");

    here.changed(record(2).key.id, KeyChange::Revoke, 8).await;
    rotated(&here, record(3).key.id, 9, instant(1_000)).await;
    let refused = insert(record(10), 10).await;
    assert!(
        matches!(refused, Err(InsertError::TooManyKeys)),
        "a retiring key counts, and so does its successor: {refused:?}"
    );
}

pub(super) async fn of_many_concurrent_keys_at_the_limit_one_is_added(under_test: StoresUnderTest) {
    let StoresUnderTest { here, elsewhere } = under_test;
    here.added(100).await;
    let insert = async |number| {
        let stores = if number % 2 == 0 { &here } else { &elsewhere };
        stores.keys.insert(record(number), 2, &act(number)).await
    };
    let results = join_all((0..20).map(insert)).await;
    let added = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(added, 1, "{results:?}");
    let refused = |result: &&Result<(), _>| matches!(result, Err(InsertError::TooManyKeys));
    assert_eq!(results.iter().filter(refused).count(), 19, "{results:?}");
    let all = listed(&here, Scope::Everybody, &everything()).await;
    assert_eq!(all.len(), 2);
}
