//! Reads: whose lookups a key sees, how often, and page by page.

use application::AdmissionError;
use chrono::TimeDelta;
use domain::page::Cursor;

use super::*;
use crate::support::WatchedKeys as _;

/// Ids in a list, and the cursor of its last entry if there are more.
async fn list(
    process: &Process,
    holder: &Holder,
    query: LookupQuery,
) -> (Vec<LookupId>, Option<Cursor>) {
    let page = process.lookups.list(access(holder), query).await;
    let page = page.unwrap().found;
    let ids = page.items.iter().map(|(_, lookup)| lookup.id).collect();
    let last = page.items.last().map(|(cursor, _)| cursor.clone());
    (ids, last.filter(|_| page.has_next))
}

/// Otherwise a burst of them would take all connections by which keys are checked.
#[tokio::test]
async fn a_customer_has_one_read_at_a_time_and_all_together_two() {
    let (world, process, holder, id) = start_queued("10.00").await;
    let [ana, eva] = ["ana", "eva"].map(|name| person(name, Role::Admin));
    let ana = world.holder(&ana, Environment::Test).await;
    let eva = world.holder(&eva, Environment::Test).await;
    let begun = || process.faults().calls().get("lookup").copied().unwrap_or(0);
    let before = begun();
    process.faults().inject_into("lookup", Fault::Hangs);
    let mut reads = Vec::new();
    for (holder, number) in [(&holder, 1), (&holder, 1), (&ana, 2), (&eva, 2)] {
        let (lookups, access) = (process.lookups.clone(), access(holder));
        reads.push(tokio::spawn(async move {
            // Reads and removals wait in one line.
            if number == 1 {
                drop(lookups.find(access, id, Duration::ZERO).await);
            } else {
                drop(lookups.remove(access, id).await);
            }
        }));
        settle().await;
        assert_eq!(begun() - before, number);
    }
    process.faults().clear();
    for read in reads {
        read.await.unwrap();
    }
}

#[tokio::test]
async fn a_lookup_of_another_customer_or_environment_is_unknown() {
    let (world, process, holder, id) = start_queued("10.00").await;
    let ana = person("ana", Role::Admin);
    let others = [
        world.holder(&ana, Environment::Test).await,
        world.live_holder().await,
    ];
    for other in &others {
        let found = process.find(other, id).await;
        assert!(matches!(found, Err(LookupError::Unknown)));
        let waited = process.lookups.find(access(other), id, seconds(25)).await;
        assert!(matches!(waited, Err(LookupError::Unknown)));
        let removed = process.remove(other, id).await;
        assert!(matches!(removed, Err(LookupError::Unknown)));
        assert_eq!(list(&process, other, all()).await.0, []);
    }
    assert_eq!(process.state(&holder, id).await, Queued);
    // Another key of the same customer and environment reads it.
    let second = world.holder(&operator(), Environment::Test).await;
    assert_eq!(process.state(&second, id).await, Queued);
}

#[tokio::test]
async fn a_revoked_key_reads_nothing() {
    let (world, process, holder, id) = start_queued("10.00").await;
    world.base.revoke(&holder).await;
    let refused = |error| matches!(error, LookupError::Refused(AdmissionError::InvalidKey));
    assert!(refused(process.find(&holder, id).await.unwrap_err()));
    assert!(refused(process.remove(&holder, id).await.unwrap_err()));
    let listed = process.lookups.list(access(&holder), all()).await;
    assert!(refused(listed.unwrap_err()));
    let mut nobody = access(&holder);
    nobody.presented_key = None;
    let found = process.lookups.find(nobody, id, seconds(0)).await;
    assert!(refused(found.unwrap_err()));
}

#[tokio::test]
async fn reads_are_free_and_more_than_six_hundred_a_minute_are_refused() {
    let (world, process, holder, id) = start_queued("10.00").await;
    for _ in 0..600 {
        let read = process.find(&holder, id).await.unwrap();
        assert_eq!(read.key, holder.id);
        assert_eq!(read.limit_status.month.unwrap().used, 1);
    }
    assert_eq!(world.charges(&holder).await, (1, 0));
    assert_eq!(world.outcomes(), []);
    let refused = process.find(&holder, id).await;
    let Err(LookupError::TooManyReads { limit, retry_after }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!((limit, retry_after.as_millis()), (600, 100));
    let listed = process.lookups.list(access(&holder), all()).await;
    assert!(matches!(listed, Err(LookupError::TooManyReads { .. })));
    let second = world.holder(&operator(), Environment::Test).await;
    process.find(&second, id).await.unwrap();
    world.pass(retry_after).await;
    process.find(&holder, id).await.unwrap();
    process.find(&holder, id).await.unwrap_err();
}

#[tokio::test]
async fn a_list_is_of_the_states_the_time_and_the_page_that_are_wanted() {
    let (world, process, holder) = start().await;
    let old = process.create(&holder, lookup("10.00")).await;
    process.work().await;
    world.pass(seconds(10)).await;
    let new = process.queue(&holder, "10.00").await;
    let delivered = LookupQuery {
        states: vec![Delivered, Failed],
        ..all()
    };
    let later = LookupQuery {
        created_from: Some(old.created_at + TimeDelta::seconds(1)),
        ..all()
    };
    let mut one = LookupQuery {
        page: PageRequest::first(PageSize::MIN),
        ..all()
    };
    assert_eq!(list(&process, &holder, delivered).await.0, [old.id]);
    assert_eq!(list(&process, &holder, later).await.0, [new]);
    let (first, after) = list(&process, &holder, one.clone()).await;
    one.page.after = after;
    let second = list(&process, &holder, one).await;
    assert_eq!((first, second), (vec![new], (vec![old.id], None)));
}

#[tokio::test]
async fn a_store_that_fails_is_told_apart_from_an_unknown_lookup() {
    let (_world, process, holder, id) = start_queued("10.00").await;
    process.find(&holder, id).await.unwrap();
    process.faults().inject(Fault::Fails);
    let listed = process.lookups.list(access(&holder), all()).await;
    for error in [
        process.find(&holder, id).await.unwrap_err(),
        process.remove(&holder, id).await.unwrap_err(),
        listed.unwrap_err(),
    ] {
        let LookupError::Refused(AdmissionError::Unavailable { .. }) = error else {
            panic!("{error:?}");
        };
    }
}

#[tokio::test]
async fn a_cold_key_is_read_once_however_many_read_with_it() {
    let (world, process, _holder, id) = start_queued("10.00").await;
    let cold = world.holder(&operator(), Environment::Test).await;
    let before = world.base.store.snapshots_read();
    let reads = (0..20).map(|_| process.find(&cold, id));
    let found = futures::future::join_all(reads).await;
    assert!(found.iter().all(Result::is_ok));
    // One reading hydrates it, and another confirms that.
    assert_eq!(world.base.store.snapshots_read() - before, 2);
}

#[tokio::test]
async fn a_due_lookup_has_a_place_in_the_queue_that_is_read_by_itself() {
    let (world, process, _) = start().await;
    let holder = world.live_holder().await;
    let ana = person("ana", Role::Admin);
    let ana = world.holder(&ana, Environment::Live).await;
    let mut ids = Vec::new();
    for _ in 0..10 {
        let created = process.create(&holder, lookup("404.02")).await;
        assert_eq!(created.queue, None);
        ids.push(created.id);
    }
    let hers = process.queue(&ana, "404.02").await;
    let mut places = vec![process.view(&ana, hers).await.queue.unwrap()];
    assert!(places[0].position <= 2);
    for id in &ids {
        places.push(process.view(&holder, *id).await.queue.unwrap());
    }
    places.sort_by_key(|place| place.position);
    let positions = places.iter().map(|place| place.position);
    assert_eq!(positions.collect::<Vec<_>>(), (1..=11).collect::<Vec<_>>());
    // The budget is 60 turns in 61 s.
    let wait = places[10].eta.unwrap() - world.base.clock.now();
    assert_eq!(wait.num_milliseconds(), 11_183);
    let listed = process.lookups.list(access(&holder), all()).await.unwrap();
    let mut listed = listed.found.items.iter();
    assert!(listed.all(|(_, view)| view.queue.is_none()));
    world.live_bank.hold();
    process.work().await;
    assert_eq!(process.view(&ana, hers).await.queue, None, "it runs");
    world.live_bank.release();
    settle().await;
    assert_eq!(process.view(&ana, hers).await.queue, None, "it waits");
    world.pass(seconds(60)).await;
    assert!(process.view(&ana, hers).await.queue.is_some());
}

#[tokio::test]
async fn the_sandbox_has_a_queue_and_no_estimate() {
    let (_world, process, holder, id) = start_queued("10.00").await;
    let queue = process.view(&holder, id).await.queue.unwrap();
    assert_eq!((queue.position, queue.eta), (1, None));
    process.work().await;
    assert_eq!(process.view(&holder, id).await.queue, None);
}
