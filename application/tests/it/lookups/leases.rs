//! Leases: one process at a time works on a lookup, and another goes on when it dies.

use domain::lookup::LookupState;
use domain::outcome::Outcome;
use testkit::fakes::Fault;

use super::steps::{Settings, lookup, seconds, settle, start};

#[tokio::test]
async fn a_lookup_that_is_worked_on_is_left_alone() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    world.bank.hold();
    let id = process.create(&holder, lookup("10.00")).await.id;
    assert_eq!(process.work().await, 1);
    assert_eq!(other.work().await, 0);
    assert_eq!(process.work().await, 0);
    assert_eq!(other.state(&holder, id).await, LookupState::Running);
}

#[tokio::test]
async fn a_lease_is_renewed_while_a_slow_bank_answers() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    world.bank.hold();
    let id = process.create(&holder, lookup("10.00")).await.id;
    process.work().await;
    for _ in 0..10 {
        world.pass(seconds(10)).await;
        assert_eq!(other.work().await, 0, "the lease was lost");
    }
    world.bank.release();
    settle().await;
    assert_eq!(process.state(&holder, id).await, LookupState::Delivered);
    assert_eq!(world.bank.times_asked(), 1);
}

#[tokio::test]
async fn another_process_goes_on_thirty_seconds_after_one_died() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.create(&holder, lookup("10.00")).await.id;
    // It claims the lookup, and comes to nothing afterwards.
    world.bank.hold();
    process.work().await;
    process.store.faults().inject(Fault::Hangs);
    world.pass(seconds(29)).await;
    assert_eq!(other.work().await, 0);
    world.pass(seconds(1)).await;
    world.bank.release();
    assert_eq!(other.work().await, 1);
    assert_eq!(other.state(&holder, id).await, LookupState::Delivered);
    assert_eq!(world.outcomes(), [Outcome::Delivered]);
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_changes_nothing() {
    let (world, process, holder) = start().await;
    let other = world.process(Settings::default());
    let id = process.create(&holder, lookup("500.00")).await.id;
    world.bank.hold();
    process.work().await;
    // It can't renew its lease, and doesn't know that it lost it.
    process
        .store
        .faults()
        .inject_into("renew_lease", Fault::Fails);
    world.pass(seconds(30)).await;
    assert_eq!(other.work().await, 1);
    let attempts = || async { other.view(&holder, id).await.attempts };
    assert_eq!(attempts().await, 0);
    world.bank.release();
    settle().await;
    // Both attempts failed; one of them counts.
    assert_eq!(attempts().await, 1);
    assert_eq!(world.bank.times_asked(), 2);
}

#[tokio::test]
async fn a_worker_that_learns_of_its_lost_lease_gives_its_place_back() {
    let (world, process, holder) = start().await;
    let one = world.process(Settings {
        places: 1,
        ..Settings::default()
    });
    let id = one.create(&holder, lookup("10.00")).await.id;
    one.create(&holder, lookup("10.01")).await;
    world.bank.hold();
    assert_eq!(one.work().await, 1);
    assert_eq!(one.work().await, 0, "it has one place");
    one.store.faults().inject_into("renew_lease", Fault::Fails);
    world.pass(seconds(30)).await;
    assert_eq!(process.work().await, 2, "both are due");
    one.store.faults().clear();
    world.pass(seconds(10)).await;
    let third = one.create(&holder, lookup("10.02")).await.id;
    assert_eq!(one.work().await, 1, "its place is still taken");
    world.bank.release();
    settle().await;
    for id in [id, third] {
        assert_eq!(process.state(&holder, id).await, LookupState::Delivered);
    }
    assert_eq!(world.outcomes().len(), 3);
}
