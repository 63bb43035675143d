//! Owners of batches: nobody sees another customer's, a key those of its environment, a person all.

use chrono::TimeDelta;

use super::*;
use crate::support::limits;

async fn does_not_exist(process: &Process, access: &BatchAccess, id: BatchId) {
    let batches = &process.batches;
    let refusals = [
        batches.find(access, id, Duration::ZERO).await.map(drop),
        batches.changes(access, id).await.map(drop),
        batches.rows(access, id, RowNumber(0)).await.map(drop),
        batches.bank_lines(access, id).await.map(drop),
        batches.cancel(access, id).await.map(drop),
        batches.erase(access, id).await.map(drop),
        batches.import(access, id, Vec::new()).await.map(drop),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, Err(BatchError::Unknown)), "{refusal:?}");
    }
}

async fn is_untouched(world: &World, process: &Process, id: BatchId) {
    assert_eq!(process.state(id).await, BatchState::Queued);
    assert_eq!(process.feed().await, 1);
    world.pass(seconds(1)).await;
}

#[tokio::test]
async fn the_batch_of_another_customer_does_not_exist() {
    let (world, process, _holder, id) = start_batch(ready(2)).await;
    let ana = person("ana", Role::Admin);
    let of_ana = world.holder(&ana, Environment::Test).await;
    does_not_exist(&process, &access(&of_ana), id).await;
    does_not_exist(&process, &BatchAccess::Person(ana), id).await;
    // One who was never seen before.
    let ben = BatchAccess::Person(person("ben", Role::Admin));
    does_not_exist(&process, &ben, id).await;
    assert_eq!(listed(&process, &access(&of_ana), &all()).await, []);
    assert_eq!(listed(&process, &ben, &all()).await, []);
    is_untouched(&world, &process, id).await;
}

#[tokio::test]
async fn the_batch_of_another_environment_does_not_exist_for_a_key() {
    let (world, process, test) = start().await;
    let live = world.live_holder().await;
    let of_test = process.create(&test, ready(1)).await;
    does_not_exist(&process, &access(&live), of_test).await;
    is_untouched(&world, &process, of_test).await;
    let of_live = process.create(&live, ready(1)).await;
    does_not_exist(&process, &access(&test), of_live).await;
    // The question for the other environment's isn't answered either.
    let query = BatchQuery {
        environment: Some(Environment::Live),
        ..all()
    };
    assert_eq!(listed(&process, &access(&test), &query).await, [of_test]);
}

#[tokio::test]
async fn a_person_sees_the_batches_of_both_environments() {
    let (world, process, test) = start().await;
    let live = world.live_holder().await;
    let first = process.create(&test, ready(1)).await;
    world.pass(seconds(1)).await;
    let second = process.create(&live, ready(1)).await;
    let operator = BatchAccess::Person(operator());
    assert_eq!(listed(&process, &operator, &all()).await, [second, first]);
    for (environment, expected) in [(Environment::Test, first), (Environment::Live, second)] {
        let query = BatchQuery {
            environment: Some(environment),
            ..all()
        };
        assert_eq!(listed(&process, &operator, &query).await, [expected]);
        let found = process.batches.find(&operator, expected, Duration::ZERO);
        let found = found.await.unwrap();
        assert_eq!(found.found.environment, environment);
        assert!(found.key.is_none() && found.limit_status.is_none());
        process.batches.cancel(&operator, expected).await.unwrap();
        process.batches.erase(&operator, expected).await.unwrap();
    }
}

#[tokio::test]
async fn another_key_reads_the_batch_and_its_end_by_the_limit_of_the_batchs_own_key() {
    let (world, process, fast) = start().await;
    let slow = world.base.holder(limits(2, Some(100_000))).await;
    let id = process.create(&slow, ready(12)).await;
    let now = world.base.clock.now();
    let expected = Some(now + TimeDelta::minutes(5));
    for reader in [
        access(&slow),
        access(&fast),
        BatchAccess::Person(operator()),
    ] {
        let found = process.batches.find(&reader, id, Duration::ZERO).await;
        let found = found.unwrap().found;
        assert_eq!((found.key, found.eta), (slow.id, expected));
        let page = process.batches.list(&reader, &all()).await.unwrap().found;
        let etas: Vec<_> = page.items.iter().map(|(_, view)| view.eta).collect();
        assert_eq!(etas, [expected]);
    }
}
