//! Places: attempts that a process makes at the same time, and whose they are.

use domain::pacing::LookupClass;

use super::*;

#[tokio::test]
async fn no_more_attempts_are_made_at_once_than_there_are_places() {
    let (world, process, holder) = start().await;
    world.bank.hold();
    for _ in 0..20 {
        process.begin(&holder, awaited("10.00"));
    }
    settle().await;
    for _ in 0..5 {
        process.work().await;
    }
    let running = world.all_stored(&holder).await;
    let running = running.iter().filter(|found| found.state == Running);
    assert_eq!(running.count(), 8);
    world.release_bank().await;
    // The places are free again: 8, and the last 4.
    assert_eq!(process.work().await, 8);
    assert_eq!(process.work().await, 4);
    assert_eq!(world.ended().len(), 20);
}

#[tokio::test]
async fn a_place_that_becomes_free_is_filled_at_once() {
    let (world, process, holder) = start().await;
    let worker = process.run_worker().await;
    for _ in 0..50 {
        process.create(&holder, lookup("10.00")).await;
    }
    for _ in 0..50 {
        settle().await;
    }
    assert_eq!(world.ended().len(), 50);
    assert_eq!(world.elapsed(), 0);
    worker.abort();
}

#[tokio::test]
async fn a_quarter_of_the_places_is_kept_for_those_who_wait() {
    let (world, process, holder) = start().await;
    world.bank.hold();
    for _ in 0..20 {
        process.create(&holder, lookup("10.00")).await;
    }
    assert_eq!(process.work().await, 6);
    assert_eq!(process.work().await, 0);
    for _ in 0..3 {
        process.begin(&holder, awaited("20.00"));
    }
    settle().await;
    assert_eq!(process.work().await, 2);
    assert_eq!(process.work().await, 0);
}

#[tokio::test]
async fn those_who_wait_go_before_the_others_at_their_first_attempt_alone() {
    let (world, process, holder) = start().await;
    let single = world.process(Settings {
        places: 1,
        ..Settings::default()
    });
    let background = process.queue(&holder, "404.02").await;
    drop(process.begin(&holder, awaited("404.02")));
    settle().await;
    let stored = world.all_stored(&holder).await;
    let is_awaited = |found: &&StoredLookup| found.facts.class == LookupClass::Interactive;
    let awaited = stored.iter().find(is_awaited).unwrap().facts.id;
    single.work().await;
    assert_eq!(single.view(&holder, awaited).await.attempts, 1);
    assert_eq!(single.view(&holder, background).await.attempts, 0);
    single.work().await;
    assert_eq!(single.view(&holder, background).await.attempts, 1);
    // From now on they are alike, and have waited for the same time.
    world.pass(seconds(60)).await;
    world.bank.hold();
    for _ in 0..8 {
        process.create(&holder, lookup("10.00")).await;
    }
    process.work().await;
    assert_eq!(process.work().await, 0, "it takes a place that is kept");
}

#[tokio::test]
async fn a_lookup_waits_for_its_turn_at_the_bank_in_the_class_of_its_attempt() {
    let (world, process, holder) = start().await;
    drop(process.begin(&holder, awaited("404.02")));
    settle().await;
    process.work().await;
    world.pass(seconds(60)).await;
    process.work().await;
    let asked = world.bank.asked();
    let classes = asked.iter().map(|lookup| lookup.lane.class);
    let classes: Vec<_> = classes.collect();
    assert_eq!(classes, [LookupClass::Interactive, LookupClass::Background]);
}

#[tokio::test]
async fn the_hundred_lookups_of_one_customer_do_not_delay_the_one_of_another() {
    let (world, process, greedy) = start().await;
    let ana = person("ana", Role::Admin);
    let modest = world.holder(&ana, Environment::Test).await;
    for _ in 0..100 {
        process.create(&greedy, lookup("10.00")).await;
    }
    process.work().await;
    let id = process.queue(&modest, "10.00").await;
    process.work().await;
    assert_eq!(process.state(&modest, id).await, Delivered);
    assert!(world.ended().len() <= 12, "all others went first");
}
